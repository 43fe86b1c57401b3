#pragma once

#include <cstddef>
#include <vector>

#include "dialect/back_end.h"
#include "model/names.h"

namespace sparsecfg::convert {

// The group of each module. Modules of no group may be matched by selectors of the last group only.
using GroupNumbers = std::vector<std::size_t>;

inline constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

// Returns short selectors for each of `groups` groups, in the order of their first modules. A selector matches only
// modules of its group. `contains_others`: of this group, selectors may also match modules of no group.
[[nodiscard]] std::vector<std::vector<dialect::NameSelector>> name_selectors(const std::vector<model::Module>& modules,
                                                                             const GroupNumbers& numbers,
                                                                             std::size_t groups,
                                                                             std::size_t contains_others);

}  // namespace sparsecfg::convert
