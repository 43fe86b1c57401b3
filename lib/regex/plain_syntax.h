#pragma once

#include <string_view>

#include "base/text.h"

namespace sparsecfg::regex {

// Removes a letter, `.`, `\.` or `\d`, with an optional `*` or `+`, from the front. Returns false otherwise.
[[nodiscard]] constexpr bool take_plain_unit(std::string_view& rest) {
  const bool escaped = rest.starts_with("\\.") || rest.starts_with("\\d");
  const char c = rest.front();
  if (!escaped && c != '.' && c != '_' && !base::is_letter(c) && !base::is_digit(c)) return false;
  rest.remove_prefix(escaped ? 2 : 1);
  if (rest.starts_with('*') || rest.starts_with('+')) rest.remove_prefix(1);
  return true;
}

// Returns true if the pattern consists only of such units, as most do. `Pattern::compile` is known to accept these.
// False proves nothing.
[[nodiscard]] constexpr bool is_plain_syntax(std::string_view pattern) {
  constexpr std::size_t kLong = 1000;  // far below the matcher's limit
  if (pattern.size() > kLong) return false;
  if (pattern.ends_with('$') && !pattern.ends_with("\\$")) pattern.remove_suffix(1);
  while (!pattern.empty()) {
    if (!take_plain_unit(pattern)) return false;
  }
  return true;
}

}  // namespace sparsecfg::regex
