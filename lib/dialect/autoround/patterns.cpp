#include <string>
#include <string_view>

#include "dialect/autoround/config.h"

// Patterns in the keys of layers (docs/semantics/autoround.md#b1-2).
namespace sparsecfg::dialect::autoround {

static bool has_metacharacter(std::string_view key) {
  return key.find(".*") != std::string_view::npos || key.find_first_of("^$|()[]?+") != std::string_view::npos;
}

// Escapes each period that is not followed by `*`, even if it is already escaped.
static std::string with_escaped_dots(std::string_view key) {
  std::string out;
  for (std::size_t at = 0; at < key.size(); ++at) {
    if (key[at] == '.' && (at + 1 == key.size() || key[at + 1] != '*')) out += '\\';
    out += key[at];
  }
  return out;
}

// Returns the text as Python's re.escape() writes it.
static std::string escaped(std::string_view key) {
  constexpr std::string_view kSpecial = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f";
  std::string out;
  for (const char letter : key) {
    if (kSpecial.find(letter) != std::string_view::npos) out += '\\';
    out += letter;
  }
  return out;
}

std::string rewritten(std::string_view key) {
  const std::string body = has_metacharacter(key) ? with_escaped_dots(key) : escaped(key);
  const bool begins = body.starts_with(".*") || body.starts_with('^');
  const bool ends = body.ends_with(".*") || body.ends_with('$');
  return (begins ? "" : ".*") + body + (ends ? "" : ".*");
}

}  // namespace sparsecfg::dialect::autoround
