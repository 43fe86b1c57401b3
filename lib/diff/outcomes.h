#pragma once

#include "diff/diff.h"

namespace sparsecfg::diff {

// Compares the outcomes of two recipes for trained models, for the layers of the model or, without a model, by their
// rules. Adds the differences and the parts that could not be compared.
void compare_outcomes(const ir::Recipe& before, const ir::Recipe& after, const Request& request, Difference& out);

}  // namespace sparsecfg::diff
