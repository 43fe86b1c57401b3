#pragma once

#include "diag/sink.h"
#include "dialect/sparseml/read/modifier.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml {

// The action that a modifier is. Reads its selectors, and so reports what is wrong with those.
// A modifier that is not sound becomes an action that is known and not understood.
[[nodiscard]] ir::Action lower(const Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
