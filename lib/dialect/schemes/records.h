#pragma once

#include <span>
#include <string_view>

#include "dialect/record/spec.h"

// Tables of the mappings that compressed-tensors defines.
namespace sparsecfg::dialect::schemes {

extern const ClassSpec kQuantizationArgs;
extern const ClassSpec kQuantizationScheme;
extern const ClassSpec kTransformConfig;

// Observers that compute the scales.
inline constexpr std::string_view kObservers[] = {"imatrix_mse", "memoryless_minmax",  "memoryless_mse", "minmax",
                                                  "mse",         "nvfp4_expanded_mse", "static_minmax"};
// Orders in which GPTQ quantizes columns.
inline constexpr std::string_view kColumnOrders[] = {"group", "weight", "dynamic", "static"};
// Kinds of rotations.
inline constexpr std::string_view kRotations[] = {"hadamard", "random-hadamard", "random-matrix"};
// Torch dtypes of scales that recipes set.
inline constexpr std::string_view kScaleTypes[] = {"torch.float32", "torch.float16",       "torch.bfloat16",
                                                   "torch.float64", "torch.float8_e4m3fn", "torch.uint8"};
inline constexpr std::string_view kZeroPointTypes[] = {"torch.int8", "torch.uint8", "torch.int32"};
// Storage formats of weights.
inline constexpr std::string_view kFormats[] = {
    "dense",           "sparse-bitmask", "sparse-24-bitmask", "int-quantized",        "float-quantized",
    "naive-quantized", "pack-quantized", "marlin-24",         "nvfp4-pack-quantized", "mxfp4-pack-quantized",
    "mxfp8-quantized"};

// Names of torch dtypes, without `torch.`.
[[nodiscard]] std::span<const std::string_view> torch_types();

}  // namespace sparsecfg::dialect::schemes
