#include "base/glob.h"

namespace sparsecfg::base {

std::string regex_of_glob(std::string_view text) {
  constexpr std::string_view kRepeatable = ".)]}";
  if (text.find('*') == std::string_view::npos || text.find_first_of("\\()|^$+{}") != std::string_view::npos) {
    return {};
  }
  std::string pattern;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '*' && at > 0 && kRepeatable.find(text[at - 1]) != std::string_view::npos) {
      return {};
    }
    pattern += c == '*' ? ".*" : c == '?' ? "." : c == '.' ? "\\." : std::string(1, c);
  }
  return pattern;
}

}  // namespace sparsecfg::base
