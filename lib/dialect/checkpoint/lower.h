#pragma once

#include "dialect/checkpoint/reading.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::checkpoint {

// Adds what a program reads to a recipe: one action, and the units of the program.
void lower(const Reading& reading, const Input& input, source::Span key, ir::Recipe& recipe);

}  // namespace sparsecfg::dialect::checkpoint
