#pragma once

#include <vector>

#include "dialect/llmcompressor/table.h"
#include "source/names.h"

namespace sparsecfg::dialect::llmcompressor {

// Follows the mappings of a SmoothQuantModifier or AWQModifier through a model, those that the model's class stands for
// where the recipe has none. Reports sets that can't be put together (LC806), and shapes that do not fit.
void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<source::Module>& modules);

}  // namespace sparsecfg::dialect::llmcompressor
