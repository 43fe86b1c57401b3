#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::base {

// Returns the regular expression for a glob: `layer*.conv?` is `layer.*\.conv.`. Returns an empty string for a text
// that is not clearly a glob: one without `*`, or one with other syntax of regular expressions, such as `conv.*`.
[[nodiscard]] std::string regex_of_glob(std::string_view text);

}  // namespace sparsecfg::base
