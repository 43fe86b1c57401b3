#pragma once

#include <string>

#include "ir/recipe.h"
#include "model/selector.h"

namespace sparsecfg::ir {

// Returns a short description of a selector: "re:.*weight, not fc.weight".
[[nodiscard]] std::string selector_text(const model::Selector& selector);

// Returns the class of an action with its ordinal: "GMPruningModifier#2", or only the class if there is no ordinal.
// Control characters are not escaped.
[[nodiscard]] std::string numbered_name(const Origin& origin);

}  // namespace sparsecfg::ir
