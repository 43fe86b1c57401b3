#include "model/pattern_text.h"

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

// Returns the length of a set including its brackets. `]` as the first character belongs to the set.
static std::size_t length_of_set(std::string_view text) {
  std::size_t end = text.substr(1).starts_with('^') ? 2 : 1;
  end += text.substr(end).starts_with(']') ? 1 : 0;
  while (end < text.size() && text[end] != ']') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(text.size(), end + 1);
}

std::vector<std::string_view> pattern_units(std::string_view pattern) {
  std::vector<std::string_view> units;
  while (!pattern.empty()) {
    const std::size_t length = pattern.front() == '\\'  ? std::min<std::size_t>(2, pattern.size())
                               : pattern.front() == '[' ? length_of_set(pattern)
                                                        : 1;
    units.push_back(pattern.substr(0, length));
    pattern.remove_prefix(length);
  }
  return units;
}

std::vector<std::string> choices_of(const std::vector<std::string_view>& units) {
  std::vector<std::string> choices = {""};
  int depth = 0;
  for (const std::string_view unit : units) {
    depth += unit == "(" ? 1 : unit == ")" ? -1 : 0;
    if (unit == "|" && depth == 0) {
      choices.emplace_back();
    } else {
      choices.back() += unit;
    }
  }
  return choices;
}

}  // namespace sparsecfg::model
