#pragma once

#include "ir/model_names.h"

namespace sparsecfg::ir {

// Parameters of widely used models as PyTorch names them: what two selectors have in common there, they have in common
// in practice. For use where the model itself is not known.
[[nodiscard]] const ModelNames& typical_parameters();

}  // namespace sparsecfg::ir
