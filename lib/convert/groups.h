#pragma once

#include <string>
#include <vector>

#include "convert/weight_matcher.h"

namespace sparsecfg::convert {

// Weights that an action of the recipe ranks together (same removed structures or one threshold) and that no action of
// the converted recipe ranks together in the same way.
struct GroupDifference {
  std::size_t action = 0;
  std::string weights;  // "`a` and `b`"
};

// Returns the groups of `recipe` that `written` lacks.
[[nodiscard]] std::vector<GroupDifference> different_groups(const ir::Recipe& recipe, const ir::Recipe& written,
                                                            const WeightMatcher& matcher);

}  // namespace sparsecfg::convert
