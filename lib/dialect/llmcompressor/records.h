#pragma once

#include "dialect/llmcompressor/table.h"
#include "dialect/schemes/records.h"

// Tables of the mappings within the fields of modifiers.
namespace sparsecfg::dialect::llmcompressor {

using schemes::kQuantizationArgs;
using schemes::kQuantizationScheme;
using schemes::kTransformConfig;
using schemes::torch_types;

extern const ClassSpec kAwqMapping;
extern const ClassSpec kSpinQuantMapping;
extern const ClassSpec kNormMapping;

}  // namespace sparsecfg::dialect::llmcompressor
