#pragma once

#include <string_view>

namespace sparsecfg::regex {

// Whether Python, which goes back and tries again, could take more than a low power of a name's
// length to see that the pattern fits none of it: repeats in repeats, alternatives in repeats, many
// repeats in a row, and everything that is not regular. A no is certain.
[[nodiscard]] bool may_backtrack(std::string_view python_pattern);

}  // namespace sparsecfg::regex
