#pragma once

#include <string>

#include "ir/selector.h"

namespace sparsecfg::ir {

// What a selector takes, in a few words: "re:.*weight, not fc.weight".
[[nodiscard]] std::string selector_text(const Selector& selector);

}  // namespace sparsecfg::ir
