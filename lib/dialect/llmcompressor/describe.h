#pragma once

#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/options.h"

namespace sparsecfg::dialect::llmcompressor {

// The manual pages of the modifiers, of the mappings in their fields and of the presets.
[[nodiscard]] std::vector<Page> pages();

// The JSON Schema of a recipe, the same for every release.
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::llmcompressor
