#pragma once

#include <span>
#include <string_view>

#include "dialect/record/spec.h"

// Tables of the mappings that compressed-tensors defines.
namespace sparsecfg::dialect::schemes {

extern const ClassSpec kQuantizationArgs;
extern const ClassSpec kQuantizationScheme;
extern const ClassSpec kTransformConfig;

// Names of torch dtypes, without `torch.`.
[[nodiscard]] std::span<const std::string_view> torch_types();

}  // namespace sparsecfg::dialect::schemes
