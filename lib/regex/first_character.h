#pragma once

#include <optional>
#include <string_view>

namespace sparsecfg::regex {

// Returns the byte with which each match of a pattern starts, as PCRE2 finds it. Nullopt if matches can start with
// different bytes, if the pattern is anchored, or if it does not compile.
[[nodiscard]] std::optional<char> first_character(std::string_view python_pattern);

}  // namespace sparsecfg::regex
