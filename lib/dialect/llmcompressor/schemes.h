#pragma once

#include <string>
#include <vector>

#include "dialect/llmcompressor/presets.h"
#include "dialect/llmcompressor/table.h"

// Computes the groups that `scheme`, `targets` and `config_groups` of a quantization modifier define.
namespace sparsecfg::dialect::llmcompressor {

// A string in a recipe.
struct Entry {
  std::string text;
  source::Span span;
};

// Returns the strings of a list, or a single string. Skips other values.
[[nodiscard]] std::vector<Entry> entries_of(const source::Value* value);

// Returns the entries of a field, or of its default if the field is absent.
[[nodiscard]] std::vector<Entry> entries_of(const Modifier& modifier, std::string_view field);

// Quantization of one tensor of a group's modules.
struct Part {
  Numbers numbers;
  const source::Value* value = nullptr;  // null: from a preset
};

// Modules with the same scheme.
struct Group {
  std::string name;   // of the group or the preset
  source::Span span;  // location of the name
  std::vector<Entry> targets;
  Part weights;
  Part inputs;
  Part outputs;

  [[nodiscard]] bool is_empty() const {
    return !weights.numbers.present && !inputs.numbers.present && !outputs.numbers.present;
  }
};

// Returns the groups of a quantization modifier, in order. Empty if it has neither a scheme nor groups. Skips unknown
// presets.
[[nodiscard]] std::vector<Group> groups_of(const Modifier& modifier);

// Parses quantization arguments and infers the strategy as compressed-tensors does.
[[nodiscard]] Numbers read_numbers(const source::Value& arguments);

// Returns true if the modifier sets any field that selects what to quantize.
[[nodiscard]] bool has_configuration(const Modifier& modifier);

// Returns "int4 in groups of 128".
[[nodiscard]] std::string describe(const Numbers& numbers);
// Returns a description of each tensor, such as "weights int4 in groups of 128; inputs int8 per token".
[[nodiscard]] std::string describe(const Group& group);

}  // namespace sparsecfg::dialect::llmcompressor
