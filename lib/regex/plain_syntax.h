#pragma once

#include <string_view>

#include "base/text.h"

namespace sparsecfg::regex {

// Takes a letter, `.`, `\.` or `\d`, and a `*` or `+` behind it, from the front. Returns false if there is none.
[[nodiscard]] constexpr bool take_plain_unit(std::string_view& rest) {
  const bool escaped = rest.starts_with("\\.") || rest.starts_with("\\d");
  const char c = rest.front();
  if (!escaped && c != '.' && c != '_' && !base::is_letter(c) && !base::is_digit(c)) return false;
  rest.remove_prefix(escaped ? 2 : 1);
  if (rest.starts_with('*') || rest.starts_with('+')) rest.remove_prefix(1);
  return true;
}

// Returns true if the pattern is made of such units alone, as most are: `Pattern::compile` takes these, which need not
// be tried. Of others nothing is said.
[[nodiscard]] constexpr bool is_plain_syntax(std::string_view pattern) {
  constexpr std::size_t kLong = 1000;  // far below what a matcher takes
  if (pattern.size() > kLong) return false;
  if (pattern.ends_with('$') && !pattern.ends_with("\\$")) pattern.remove_suffix(1);
  while (!pattern.empty()) {
    if (!take_plain_unit(pattern)) return false;
  }
  return true;
}

}  // namespace sparsecfg::regex
