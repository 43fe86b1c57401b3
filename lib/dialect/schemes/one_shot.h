#pragma once

#include <vector>

#include "ir/one_shot.h"
#include "ir/recipe.h"
#include "model/names.h"

namespace sparsecfg::dialect::schemes {

// Returns true if the recipe consists of modifiers or groups with schemes that are applied to a trained model.
[[nodiscard]] bool is_one_shot(const ir::Recipe& recipe);

// Returns the actions of a recipe for a trained model with their schemes and settings, and the sizes of the layers.
// `modules` of the model may be null.
[[nodiscard]] ir::OneShot one_shot_of(const ir::Recipe& recipe, const std::vector<model::Module>* modules);

}  // namespace sparsecfg::dialect::schemes
