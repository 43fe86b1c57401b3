#pragma once

#include "ir/model_names.h"

namespace sparsecfg::ir {

// Returns parameter names of widely used PyTorch models. If two selectors overlap on these names, they overlap in
// practice. Used if no model is given.
[[nodiscard]] const ModelNames& typical_parameters();

}  // namespace sparsecfg::ir
