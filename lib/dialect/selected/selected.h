#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "ir/recipe.h"
#include "model/model_names.h"
#include "source/value.h"

// What selectors probably mean in a model whose names are known, for the dialects of trainings.
namespace sparsecfg::dialect::selected {

// How a dialect writes selectors.
struct Writing {
  model::Selector::Over over = model::Selector::Over::parameters;
  std::string_view prefix{};                                 // of patterns: "re:"
  bool offers_patterns = false;                              // true if a pattern can replace a selector
  std::string (*leave)(const std::string& layer) = nullptr;  // the edit that excludes a layer; null: none
};

// Returns true if a pruner of a recipe removes whole outputs of layers.
[[nodiscard]] bool removes_outputs(const ir::Recipe& recipe);

// Reports pruners that remove whole outputs of the last layer of the model, unless the recipe names the layer.
void check_output_layer(const ir::Recipe& recipe, const model::ModelNames& names, const Writing& writing,
                        diag::Sink& sink);

// Counts the names that a pattern matches from their start.
using CountNames = std::function<std::size_t(const std::string& pattern)>;

// Reports a pattern that was probably meant to match anywhere in a name.
void check_start(const std::string& pattern, source::Span place, std::string_view prefix, const CountNames& count,
                 diag::Sink& sink);

// Checks the starts of all patterns of a recipe.
void check_starts(const ir::Recipe& recipe, const model::ModelNames& names, const Writing& writing, diag::Sink& sink);

}  // namespace sparsecfg::dialect::selected
