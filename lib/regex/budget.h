#pragma once

#include <cstddef>

#include "base/budget.h"

namespace sparsecfg::regex {

// The budget of one comparison of patterns. Its steps are NFA transitions examined, about ten milliseconds per million.
// Several comparisons can share a budget.
[[nodiscard]] constexpr base::Budget comparison_budget(std::size_t steps = 1'000'000) {
  return base::Budget({.steps = steps});
}

}  // namespace sparsecfg::regex
