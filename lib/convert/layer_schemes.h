#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/recipe.h"
#include "model/names.h"

namespace sparsecfg::convert {

// Returns true for recipes whose schemes of layers can be compared across dialects.
[[nodiscard]] bool has_layer_schemes(const ir::Recipe& recipe);

// Returns each quantized layer with a description of its scheme. Without a model, returns the targets and ignored names
// instead of layers.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> layer_schemes(const ir::Recipe& recipe,
                                                                             const std::vector<model::Module>* modules);

// Returns a line for each group of layers whose scheme differs between two actions, and a line about the size of these
// layers. Empty if neither has schemes. `modules` may be null.
[[nodiscard]] std::vector<std::string> scheme_changes(const ir::Recipe& before, const ir::Action& one,
                                                      const ir::Recipe& after, const ir::Action& other,
                                                      const std::vector<model::Module>* modules);

}  // namespace sparsecfg::convert
