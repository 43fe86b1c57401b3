#pragma once

#include <string>

#include "ir/recipe.h"
#include "ir/selector.h"

namespace sparsecfg::ir {

// What a selector takes, in a few words: "re:.*weight, not fc.weight".
[[nodiscard]] std::string selector_text(const Selector& selector);

// The class of an action with its ordinal: "GMPruningModifier#2", or the class alone if it has none. Control characters
// stay as they are.
[[nodiscard]] std::string numbered_name(const Origin& origin);

}  // namespace sparsecfg::ir
