#pragma once

#include "dialect/llmcompressor/table.h"

// Tables of the mappings within the fields of modifiers.
namespace sparsecfg::dialect::llmcompressor {

extern const RecordSpec kQuantizationArgs;
extern const RecordSpec kQuantizationScheme;
extern const RecordSpec kAwqMapping;
extern const RecordSpec kSpinQuantMapping;
extern const RecordSpec kNormMapping;
extern const RecordSpec kTransformConfig;

// Names of torch dtypes, without `torch.`.
[[nodiscard]] std::span<const std::string_view> torch_types();

}  // namespace sparsecfg::dialect::llmcompressor
