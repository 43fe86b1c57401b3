#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::ir {

// A pattern's smallest parts, in order: an escaped character (`\.`), a set (`[0-9]`) or one character. They refer to
// the pattern.
[[nodiscard]] std::vector<std::string_view> pattern_units(std::string_view pattern);

// The alternatives that `|` parts outside of all groups; the whole pattern where there is none.
[[nodiscard]] std::vector<std::string> choices_of(const std::vector<std::string_view>& units);

}  // namespace sparsecfg::ir
