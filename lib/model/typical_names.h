#pragma once

#include "model/model_names.h"

namespace sparsecfg::model {

// Returns parameter names of widely used PyTorch models. If two selectors overlap on these names, they overlap in
// practice. Used if no model is given.
[[nodiscard]] const ModelNames& typical_parameters();

}  // namespace sparsecfg::model
