#pragma once

#include "diff/diff.h"

namespace sparsecfg::diff {

// Adds the differences of the calls that receive two recipes: a call that is missing, and other models. Recipes without
// calls, such as files, have none.
void compare_calls(const Compilation& before, const Compilation& after, Difference& out);

}  // namespace sparsecfg::diff
