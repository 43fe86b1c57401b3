#pragma once

#include "dialect/write.h"

namespace sparsecfg::dialect::pytorch {

// A recipe as a Python file: what it does as data, and a class that runs it on a model.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::pytorch
