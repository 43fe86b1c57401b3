#pragma once

#include "regex/budget.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

// Returns true if it is certain that no name is taken by both. A no says nothing: positions such as `\b` and characters
// beyond ASCII are not looked at, nor languages with very many states. Far cheaper than the search for a name.
[[nodiscard]] bool are_disjoint(const Nfa& a, const Nfa& b, Budget& budget);

}  // namespace sparsecfg::regex
