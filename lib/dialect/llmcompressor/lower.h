#pragma once

#include "dialect/llmcompressor/rules.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::llmcompressor {

// The action of a modifier. What it does happens once, so all of it is in the origin, and the effect has what it
// selects. `modules` is null where the model is unknown.
[[nodiscard]] ir::Action lower(const Modifier& modifier, const Modules* modules);

}  // namespace sparsecfg::dialect::llmcompressor
