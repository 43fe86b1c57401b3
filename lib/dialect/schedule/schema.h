#pragma once

#include <string>

#include "dialect/options.h"

namespace sparsecfg::dialect::schedule {

// A JSON Schema (draft 7) of what ir::dump() writes.
[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::schedule
