#pragma once

#include <cstddef>
#include <string_view>

namespace sparsecfg::doc {

// U+FEFF. Only at the beginning of a file is it a mark and not a letter.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Returns the length in bytes of the YAML 1.1 line break at `at` (CR LF, CR, LF, NEL, LS or PS), or 0.
[[nodiscard]] constexpr std::size_t break_length(std::string_view text, std::size_t at) {
  // Bytes of non-ASCII characters are negative here.
  if (at >= text.size() || static_cast<signed char>(text[at]) > '\r') {
    return 0;
  }
  switch (text[at]) {
    case '\n': return 1;
    case '\r': return text.substr(at).starts_with("\r\n") ? 2 : 1;
    case '\xC2': return text.substr(at).starts_with("\xC2\x85") ? 2 : 0;
    case '\xE2': {
      const std::string_view here = text.substr(at, 3);
      return here == "\xE2\x80\xA8" || here == "\xE2\x80\xA9" ? 3 : 0;
    }
    default: return 0;
  }
}

// Returns true if a space, a line break or the end of the text is at `at`, as some tokens require after them.
[[nodiscard]] constexpr bool is_space_or_end(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ' || break_length(text, at) > 0;
}

[[nodiscard]] constexpr bool is_line_start(std::string_view text, std::size_t at) {
  return at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r' || (at >= 2 && break_length(text, at - 2) == 2) ||
         (at >= 3 && break_length(text, at - 3) == 3);
}

// Returns the end of the line that contains `at`, without its line break.
[[nodiscard]] constexpr std::size_t find_line_end(std::string_view text, std::size_t at) {
  while (at < text.size() && break_length(text, at) == 0) {
    ++at;
  }
  return at;
}

}  // namespace sparsecfg::doc
