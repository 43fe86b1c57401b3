#pragma once

#include <vector>

#include "dialect/dialect.h"

namespace sparsecfg::dialect::llmcompressor {

// The manual pages of the modifiers, of the mappings in their fields and of the presets.
[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::llmcompressor
