#pragma once

#include <string>
#include <vector>

#include "convert/weight_matcher.h"

namespace sparsecfg::convert {

// Weights that an action of the recipe ranks together, to lose the same structures or by one threshold, and that
// no action of what was written ranks together like that.
struct GroupDifference {
  std::size_t action = 0;
  std::string weights;  // "`a` and `b`"
};

[[nodiscard]] std::vector<GroupDifference> different_groups(const ir::Recipe& recipe, const ir::Recipe& written,
                                                            const WeightMatcher& matcher);

}  // namespace sparsecfg::convert
