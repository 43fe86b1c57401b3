#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/recipe.h"

namespace sparsecfg::convert {

// A pruner by thresholds that was taken for one of levels, and how.
struct Assumption {
  std::size_t action = 0;
  std::string reason;
};

// Takes each pruner whose thresholds are given in standard deviations for one of the levels that it would remove of
// weights which are normally distributed around 0.
[[nodiscard]] std::vector<Assumption> assume_gaussian(ir::Recipe& recipe);

}  // namespace sparsecfg::convert
