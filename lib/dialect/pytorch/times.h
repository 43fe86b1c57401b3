#pragma once

#include "dialect/pytorch/courses.h"
#include "dialect/pytorch/python_text.h"
#include "ir/recipe.h"

// When an action acts, as a call that makes one of the runtime's objects for it.
namespace sparsecfg::dialect::pytorch {

// `Every(0.0, 10.0, 1.0)` ...; of each kind of cadence but whole steps.
[[nodiscard]] Text when(const ir::Cadence& cadence, Parts& parts);

// The same for what is done once, or begins and ends.
[[nodiscard]] Text phase(const ir::Cadence& cadence, bool ends, Parts& parts);

// The epochs of a cadence of whole epochs: `range(0, 10, 2)` or a list.
[[nodiscard]] Text epochs_of(const ir::Cadence& cadence);

}  // namespace sparsecfg::dialect::pytorch
