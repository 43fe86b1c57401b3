#include "script/search.h"

namespace sparsecfg::script {

// The standard library compares at most this many characters at each place, which is faster for common strings.
constexpr std::size_t kMaxShort = 16;

Searcher::Searcher(std::string_view part) : part_(part) {
  if (part.size() <= kMaxShort) return;
  borders_.assign(part.size() + 1, 0);
  std::size_t border = 0;
  for (std::size_t at = 1; at < part.size(); ++at) {
    while (border > 0 && part[at] != part[border]) border = borders_[border];
    border += part[at] == part[border] ? 1 : 0;
    borders_[at + 1] = border;
  }
}

std::size_t Searcher::find(std::string_view text, std::size_t from) const {
  if (borders_.empty()) return text.find(part_, from);
  std::size_t matched = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    while (matched > 0 && text[at] != part_[matched]) matched = borders_[matched];
    matched += text[at] == part_[matched] ? 1 : 0;
    if (matched == part_.size()) return at + 1 - matched;
  }
  return std::string_view::npos;
}

std::size_t Searcher::rfind(std::string_view text) const {
  if (borders_.empty()) return text.rfind(part_);
  std::size_t last = std::string_view::npos;
  std::size_t matched = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    while (matched > 0 && (matched == part_.size() || text[at] != part_[matched])) matched = borders_[matched];
    matched += text[at] == part_[matched] ? 1 : 0;
    if (matched == part_.size()) last = at + 1 - matched;
  }
  return last;
}

}  // namespace sparsecfg::script
