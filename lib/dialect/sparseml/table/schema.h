#pragma once

#include <string>

#include "dialect/options.h"

namespace sparsecfg::dialect::sparseml {

// A JSON Schema (draft 7) of a reader's recipes, made from the table, with a line feed at its end.
// It refuses nothing that the framework takes, and can't see all that the framework refuses: to an
// editor a tag is gone, so an item of a list of modifiers fits if it fits any modifier. A mapping
// with the tag as its one key, which is what SparseML itself makes of it, fits that modifier alone.
[[nodiscard]] std::string schema(Framework framework);

}  // namespace sparsecfg::dialect::sparseml
