#pragma once

#include "ir/one_shot.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::schemes {

// Returns true if the recipe consists of modifiers or groups with schemes that are applied to a trained model.
[[nodiscard]] bool is_one_shot(const ir::Recipe& recipe);

// Returns the actions of a recipe for a trained model with their schemes and settings. The sizes of layers follow from
// the outcome.
[[nodiscard]] ir::OneShot one_shot_of(const ir::Recipe& recipe);

}  // namespace sparsecfg::dialect::schemes
