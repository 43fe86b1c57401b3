#pragma once

#include "dialect/llmcompressor/table.h"

// Tables of the mappings within the fields of modifiers.
namespace sparsecfg::dialect::llmcompressor {

extern const ClassSpec kQuantizationArgs;
extern const ClassSpec kQuantizationScheme;
extern const ClassSpec kAwqMapping;
extern const ClassSpec kSpinQuantMapping;
extern const ClassSpec kNormMapping;
extern const ClassSpec kTransformConfig;

// Names of torch dtypes, without `torch.`.
[[nodiscard]] std::span<const std::string_view> torch_types();

}  // namespace sparsecfg::dialect::llmcompressor
