#pragma once

#include <vector>

#include "dialect/llmcompressor/table.h"
#include "dialect/schemes/schemes.h"
#include "model/names.h"

// Computes the groups that `scheme`, `targets` and `config_groups` of a quantization modifier define.
namespace sparsecfg::dialect::llmcompressor {

using schemes::describe;
using schemes::Dynamic;
using schemes::entries_of;
using schemes::Entry;
using schemes::find_preset;
using schemes::Group;
using schemes::Numbers;
using schemes::Part;
using schemes::part_of;
using schemes::Preset;
using schemes::presets;
using schemes::read_numbers;
using schemes::Strategy;
using schemes::strategy_of;
using schemes::to_string;

using Modules = std::vector<model::Module>;

// Returns the entries of a field, or of its default if the field is absent.
[[nodiscard]] std::vector<Entry> entries_of(const Modifier& modifier, std::string_view field);

// Returns the groups of a quantization modifier, in order. Empty if it has neither a scheme nor groups. Skips unknown
// presets.
[[nodiscard]] std::vector<Group> groups_of(const Modifier& modifier);

// Returns true if the run provides data to the modifier.
[[nodiscard]] bool needs_calibration(const Modifier& modifier);

// Returns true if the modifier sets any field that selects what to quantize.
[[nodiscard]] bool has_configuration(const Modifier& modifier);

}  // namespace sparsecfg::dialect::llmcompressor
