#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::base {

// Returns the regular expression for a glob: `layer*.conv?` is `layer.*\.conv.`. Returns an empty string if the string
// is not clearly a glob: if it lacks `*`, or has other syntax of regular expressions, such as `conv.*`.
[[nodiscard]] std::string regex_of_glob(std::string_view text);

}  // namespace sparsecfg::base
