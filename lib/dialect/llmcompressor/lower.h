#pragma once

#include "dialect/llmcompressor/table.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::llmcompressor {

// The action of a modifier. What it does happens once, so all of it is in the origin, and the effect has what it
// selects.
[[nodiscard]] ir::Action lower(const Modifier& modifier);

}  // namespace sparsecfg::dialect::llmcompressor
