#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/schemes/presets.h"
#include "ir/effect.h"
#include "model/names.h"
#include "source/value.h"

// Groups of modules with the same quantization.
namespace sparsecfg::dialect::schemes {

// A string in a recipe.
struct Entry {
  std::string text;
  source::Span span;
};

// Returns the strings of a list, or a single string. Skips other values.
[[nodiscard]] std::vector<Entry> entries_of(const source::Value* value);

// Quantization of one tensor of a group's modules.
struct Part {
  QuantizationArgs args;
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

  [[nodiscard]] bool is_empty() const { return !weights.args.present && !inputs.args.present && !outputs.args.present; }
};

// Returns the quantization of one tensor in a group of `config_groups`: `weights`, `input_activations` ...
[[nodiscard]] Part part_of(const source::Value& group, std::string_view name);

// Parses quantization arguments and infers the strategy as compressed-tensors does.
[[nodiscard]] QuantizationArgs read_args(const source::Value& arguments);

// Returns "int4 in groups of 128".
[[nodiscard]] std::string describe(const QuantizationArgs& args);
// Returns a description of each tensor, such as "weights int4 in groups of 128; inputs int8 per token".
[[nodiscard]] std::string describe(const Group& group);

// Returns the terms of targets or ignored names. Skips patterns that Python can't compile.
[[nodiscard]] std::vector<model::Term> terms_of(const std::vector<Entry>& entries);

// Returns the effect of groups on the layers that they target. `place` is used for parts without a place;
// `modules` is null if the model is unknown. `cache` is the place of the scheme of the attention cache, if there is
// one.
[[nodiscard]] ir::Effect quantize(const std::vector<Group>& groups, const std::vector<Entry>& ignore,
                                  source::Span place, const std::vector<model::Module>* modules,
                                  std::optional<source::Span> cache = std::nullopt);

}  // namespace sparsecfg::dialect::schemes
