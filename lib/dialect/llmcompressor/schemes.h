#pragma once

#include <vector>

#include "dialect/llmcompressor/types.h"
#include "dialect/schemes/schemes.h"
#include "model/names.h"

// Names of the schemes of compressed-tensors that the modifiers use.
namespace sparsecfg::dialect::llmcompressor {

using schemes::describe;
using schemes::Dynamic;
using schemes::entries_of;
using schemes::Entry;
using schemes::find_preset;
using schemes::Group;
using schemes::Part;
using schemes::part_of;
using schemes::Preset;
using schemes::presets;
using schemes::QuantizationArgs;
using schemes::read_args;
using schemes::Strategy;
using schemes::strategy_of;
using schemes::to_string;

using Modules = std::vector<model::Module>;

}  // namespace sparsecfg::dialect::llmcompressor
