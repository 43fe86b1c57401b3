#pragma once

#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/options.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the manual pages of the modifiers, the mappings in their fields and the presets.
[[nodiscard]] std::vector<Page> pages();

// Returns the JSON Schema of a recipe, which is the same for every release.
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::llmcompressor
