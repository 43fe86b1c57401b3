#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::dialect::ai8x {

// Returns the names that a pattern of literal characters, classes such as `[4-8]` and alternatives such as `(a|b)`
// matches, in order: `conv4` to `conv8` for `conv[4-8]`. A class of two numbers is a range of numbers, also if they
// have several digits. Returns no names for other patterns, and for more than `most` names.
[[nodiscard]] std::vector<std::string> alternatives_of(std::string_view pattern, std::size_t most);

}  // namespace sparsecfg::dialect::ai8x
