#include "regex/literal.h"

namespace sparsecfg::regex {

bool is_metacharacter(char c) { return std::string_view(".[](){}*+?^$|\\").find(c) != std::string_view::npos; }

std::string literal(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (is_metacharacter(c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace sparsecfg::regex
