#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/dialect.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/llmcompressor/table.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/names.h"

namespace sparsecfg::dialect::llmcompressor {

// Finds the modifiers of a recipe in the order in which they act; with `stage` those of the stages whose keys begin
// with it. Reports what stops the loader here (SP104, LC103, LC109) and what it passes over (SP101, SP106, LC101,
// LC102, LC104 to LC106).
[[nodiscard]] std::vector<stages::Written> find_modifiers(const doc::Document& document,
                                                          const std::optional<std::string>& stage, diag::Sink& sink);

// Returns true if a key of the top level is a stage with a number, as the second run of a recipe leaves it.
[[nodiscard]] bool is_numbered_stage(std::string_view key);

// The action of a modifier. What it does happens once, so all of it is in the origin, and the effect has what it
// selects. `modules` is null where the model is unknown.
[[nodiscard]] ir::Action lower(const Modifier& modifier, const Modules* modules);

// The patterns of one mapping: layers to balance and what is scaled in front of them.
struct Mapping {
  std::vector<std::string> balanced;
  std::string scaled;
  source::Span span;  // of the mapping, or of the modifier that has none
};

// The mappings that SmoothQuantModifier or AWQModifier takes for models of a class where a recipe has none. Empty where
// it looks at more of the model than its class.
[[nodiscard]] std::vector<Mapping> usual_mappings(Meaning meaning, std::string_view model, source::Span span);

// Follows the mappings of a SmoothQuantModifier or AWQModifier through a model, those that the model's class stands for
// where the recipe has none. Reports sets that can't be put together (LC806), and shapes that do not fit.
void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<source::Module>& modules);

// N of every M weights are removed; 0 for both: weights anywhere.
struct NOfM {
  std::int64_t n = 0;
  std::int64_t m = 0;
};

// Returns nullopt if the string is not a pair of whole numbers.
[[nodiscard]] std::optional<NOfM> read_mask(std::string_view text);

// That of a pruner; 0 for both where it can't be read.
[[nodiscard]] NOfM mask_of(const Modifier& modifier);

// What can be said of modifiers once the modules of the model are known, with their classes and the shapes of their
// weights.

class ModelIndex;

// All of it (LC801 to LC806, MD902).
void check_names(const Reading& reading, const std::vector<Modifier>& modifiers, const Modules& modules);

// Of a modifier that quantizes (LC801, LC803 to LC805, MD902).
void check_quantized_layers(const Reading& reading, const Modifier& modifier, const Modules& modules,
                            ModelIndex& index);

// Of SparseGPT and Wanda (LC109, MD902).
void check_pruned_layers(const Reading& reading, const Modifier& modifier, const Modules& modules,
                         const ModelIndex& index);

// Of REAP: whether a block of experts is left (LC109).
void check_removed_experts(const Reading& reading, const Modifier& modifier, const Modules& modules);

// Of QuIP and SpinQuant (LC109).
void check_rotated_layers(const Reading& reading, const Modifier& modifier, const Modules& modules);

// "`a`, `b`, `c` and 3 more"
[[nodiscard]] std::string list_names(const std::vector<const source::Module*>& modules);

// Reads a recipe of llm-compressor's (stages, groups, modifiers and their fields). Reports everything that it would
// refuse, stop at or drop. The recipe holds all modifiers whose class is known.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::llmcompressor
