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

}  // namespace sparsecfg::convert
