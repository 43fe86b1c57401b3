#pragma once

#include <string>

#include "dialect/options.h"

namespace sparsecfg::dialect::llmcompressor {

// The JSON Schema of a recipe, the same for every release.
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::llmcompressor
