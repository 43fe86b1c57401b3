#include "model/plain_pattern.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::model {

PlainPattern::PlainPattern(std::string_view pattern, std::string_view wild) {
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  if (pattern.ends_with('$') && !pattern.ends_with("\\$")) pattern.remove_suffix(1);
  name_.reserve(pattern.size());
  while (!pattern.empty() && plain_) plain_ = take_word(pattern) || take_piece(pattern, wild);
}

std::string PlainPattern::sample(std::string_view tail) const {
  return plain_ ? name_ + std::string(open_ ? tail : "") : "";
}

// Consumes a wildcard, digits or a dot. Otherwise returns false.
bool PlainPattern::take_piece(std::string_view& rest, std::string_view wild) {
  struct Piece {
    std::string_view text;
    std::string_view name;  // sample text; empty for any characters, replaced by `wild`
    bool fixed;             // true if it does not match every character
  };

  static constexpr Piece kPieces[] = {{".*", "", false},     {".+", "", false},  {"\\d+", "0", true},
                                      {"[0-9]+", "0", true}, {"\\d", "0", true}, {"[0-9]", "0", true},
                                      {"\\.", ".", true},    {".", ".", false}};
  const auto* piece = std::ranges::find_if(
      kPieces, [&](const Piece& each) { return rest.front() == each.text.front() && rest.starts_with(each.text); });
  if (piece == std::end(kPieces)) {
    return false;
  }
  rest.remove_prefix(piece->text.size());
  fixed_ = fixed_ || piece->fixed;
  open_ = rest.empty() && piece->name.empty();
  if (!open_) name_ += piece->name.empty() ? wild : piece->name;
  return true;
}

// Consumes a word. Returns false if there is none, or if a quantifier or alternative follows, which would apply to its
// last letter.
bool PlainPattern::take_word(std::string_view& rest) {
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(rest, base::is_name_letter) - rest.begin());
  if (end == 0 || (end < rest.size() && std::string_view("*+?{|").find(rest[end]) != rest.npos)) {
    return false;
  }
  name_ += rest.substr(0, end);
  rest.remove_prefix(end);
  fixed_ = true;
  return true;
}

}  // namespace sparsecfg::model
