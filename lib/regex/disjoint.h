#pragma once

#include "regex/budget.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

// Returns true if no name is accepted by both languages. False proves nothing: positions such as `\b`, non-ASCII
// characters and languages with very many states are not examined. Much faster than searching for a common name.
[[nodiscard]] bool are_disjoint(const Nfa& a, const Nfa& b, Budget& budget);

}  // namespace sparsecfg::regex
