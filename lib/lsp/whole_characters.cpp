#include "lsp/whole_characters.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace sparsecfg::lsp {

// Returns the code unit of `\\uXXXX` at `at`, or nullopt.
static std::optional<unsigned> escaped_unit(std::string_view json, std::size_t at) {
  constexpr std::size_t kLength = 6;
  unsigned unit = 0;
  if (at + kLength > json.size() || !json.substr(at).starts_with("\\u")) return std::nullopt;
  const char* digits = json.data() + at + 2;
  return std::from_chars(digits, digits + 4, unit, 16).ptr == digits + 4 ? std::optional(unit) : std::nullopt;
}

// Returns the length of a half of a surrogate pair in CESU-8, or 1.
static std::size_t invalid_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; };
  return byte(0) == 0xED && byte(1) >= 0xA0 && byte(1) <= 0xBF && byte(2) >= 0x80 && byte(2) <= 0xBF ? 3 : 1;
}

std::string with_whole_characters(std::string_view json) {
  const auto is_first = [](unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; };
  const auto is_second = [](unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; };
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    std::size_t next = at;
    const auto unit = escaped_unit(json, at);
    if (unit && (is_first(*unit) || is_second(*unit))) {
      const auto other = escaped_unit(json, at + 6);
      const bool pair = is_first(*unit) && other && is_second(*other);
      next += pair ? 12 : 6;
      out += pair ? json.substr(at, 12) : "\\ufffd";
    } else if (json[at] == '\\') {
      next = std::min(at + 2, json.size());
      out += json.substr(at, 2);
    } else if (base::next_code_point(json, next) == base::kNotUtf8) {
      next = at + invalid_length(json.substr(at));
      out += "\xEF\xBF\xBD";
    } else {
      out += json.substr(at, next - at);
    }
    at = next;
  }
  return out;
}

}  // namespace sparsecfg::lsp
