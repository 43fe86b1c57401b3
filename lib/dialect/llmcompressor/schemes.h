#pragma once

#include <string>
#include <vector>

#include "dialect/llmcompressor/presets.h"
#include "dialect/llmcompressor/table.h"

// What the quantization modifiers make of `scheme`, `targets` and `config_groups`.
namespace sparsecfg::dialect::llmcompressor {

// A text that stands in a recipe.
struct Entry {
  std::string text;
  source::Span span;
};

// The texts of a list, or the one text; other values are left out.
[[nodiscard]] std::vector<Entry> entries_of(const source::Value* value);

// Those of a field; of its default where the field is absent.
[[nodiscard]] std::vector<Entry> entries_of(const Modifier& modifier, std::string_view field);

// How one tensor of the modules of a group is quantized.
struct Part {
  Numbers numbers;
  const source::Value* value = nullptr;  // null: as a preset says
};

// Modules that get one scheme.
struct Group {
  std::string name;   // of the group or the preset
  source::Span span;  // where that stands
  std::vector<Entry> targets;
  Part weights;
  Part inputs;
  Part outputs;

  [[nodiscard]] bool is_empty() const {
    return !weights.numbers.present && !inputs.numbers.present && !outputs.numbers.present;
  }
};

// The groups of a quantization modifier, in their order. None where it has neither a scheme nor groups; an unknown
// preset is left out.
[[nodiscard]] std::vector<Group> groups_of(const Modifier& modifier);

// The numbers that arguments ask for, by the rules by which their strategy is inferred.
[[nodiscard]] Numbers read_numbers(const source::Value& arguments);

// Returns true if the modifier says anything about what is to be quantized.
[[nodiscard]] bool has_configuration(const Modifier& modifier);

// "int4, groups of 128"
[[nodiscard]] std::string describe(const Numbers& numbers);
// "int4 weights in groups of 128, int8 inputs per token"
[[nodiscard]] std::string describe(const Group& group);

}  // namespace sparsecfg::dialect::llmcompressor
