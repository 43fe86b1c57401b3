#pragma once

#include <optional>

#include "dialect/write.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml {

// When a pruner of SparseML's acts.
struct Window {
  double start = 0;
  double end = 0;
  double every = 1;
  bool at_once = false;  // whether it begins with the last sparsity
};

// The window in which a pruner of another dialect would act at the same steps with the same values:
// its end is where the last value is reached, not where the action ends. Nothing where there is none.
[[nodiscard]] std::optional<Window> window_of(const ir::Cadence& cadence, const ir::Prune& prune,
                                              const WriteOptions& options);

}  // namespace sparsecfg::dialect::sparseml
