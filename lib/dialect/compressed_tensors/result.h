#pragma once

#include <string_view>

#include "dialect/compressed_tensors/config.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::compressed_tensors {

// Returns true for an action that assigns schemes to layers.
[[nodiscard]] bool assigns_schemes(const ir::Action& action);

// Returns the fields of the file that the library saves with a model that a recipe has quantized. Names of groups,
// targets and ignored names have their places in the recipe. Without modules, `ignore` is that of the recipe, and
// groups without layers are kept. `keeps_names` names groups as the recipe does, by their keys or presets.
[[nodiscard]] source::Map result_of(const ir::Recipe& recipe, const Modules* modules, bool keeps_names = false);

}  // namespace sparsecfg::dialect::compressed_tensors
