#pragma once

#include <vector>

#include "dialect/llmcompressor/table.h"
#include "source/names.h"

namespace sparsecfg::dialect::llmcompressor {

// What can be said of the modifiers once the modules of the model are known, with their classes and the shapes of their
// weights (LC801 to LC806, MD902).
void check_names(const Reading& reading, const std::vector<Modifier>& modifiers,
                 const std::vector<source::Module>& modules);

}  // namespace sparsecfg::dialect::llmcompressor
