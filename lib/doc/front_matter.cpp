#include "doc/readers.h"

#include "base/text.h"

namespace sparsecfg::doc {

// Returns true for characters that `\s` matches in Python's re.
static bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_space(base::next_code_point(text, next))) {
      break;
    }
    at = next;
  }
  return at;
}

static bool is_delimiter(std::string_view text) { return text.starts_with("---") || text.starts_with("+++"); }

// Returns the first delimiter that only white space precedes on its line. Python's `\s*` may span lines, which makes no
// difference: the last of these lines also begins with white space.
static std::size_t find_opening(std::string_view text) {
  for (std::size_t line = 0; line != std::string_view::npos && line < text.size();) {
    const std::size_t begin = skip_space(text, line);
    if (is_delimiter(text.substr(begin))) {
      return begin;
    }
    line = text.find_first_of("\r\n", begin);
    line = line == std::string_view::npos ? line : line + 1;
  }
  return text.size();
}

static std::size_t find_closing(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_delimiter(text.substr(at))) {
    ++at;
  }
  return at;
}

std::optional<FrontMatter> find_front_matter(std::string_view text) {
  constexpr std::uint32_t kLength = 3;
  const std::size_t opening = find_opening(text);
  const std::size_t closing = opening == text.size() ? opening : find_closing(text, opening + kLength);
  if (closing >= text.size()) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::uint32_t>(opening);
  const auto end = static_cast<std::uint32_t>(closing);
  return FrontMatter{{begin, begin + kLength}, {begin + kLength, end}, {end, end + kLength}};
}

}  // namespace sparsecfg::doc
