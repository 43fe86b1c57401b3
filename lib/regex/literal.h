#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::regex {

// Returns true if a character is a metacharacter of Python patterns.
[[nodiscard]] bool is_metacharacter(char c);

// Returns a pattern that matches only this string: `a\.b` for `a.b`.
[[nodiscard]] std::string literal(std::string_view text);

}  // namespace sparsecfg::regex
