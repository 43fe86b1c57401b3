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

static bool is_name_unit(std::string_view unit) { return unit.size() == 1 && base::is_name_letter(unit[0]); }

// Returns the number of units before the first difference that is not inside of a group or a word.
static std::size_t common_begin(const std::vector<std::string_view>& one, const std::vector<std::string_view>& other) {
  std::size_t end = 0;
  int depth = 0;
  for (std::size_t at = 0; at < std::min(one.size(), other.size()) && one[at] == other[at]; ++at) {
    depth += one[at] == "(" ? 1 : one[at] == ")" ? -1 : 0;
    if (depth == 0 && !is_name_unit(one[at])) end = at + 1;
  }
  return end;
}

// Returns the number of equal units at the end of both, of which the first is not inside of a group or a word.
static std::size_t common_end(const std::vector<std::string_view>& one, const std::vector<std::string_view>& other,
                              std::size_t begin) {
  std::size_t out = 0;
  int depth = 0;
  const std::size_t most = std::min(one.size(), other.size()) - begin;
  for (std::size_t count = 1; count <= most; ++count) {
    const std::string_view unit = one[one.size() - count];
    if (unit != other[other.size() - count]) break;
    depth += unit == ")" ? 1 : unit == "(" ? -1 : 0;
    const bool quantifier = unit == "*" || unit == "+" || unit == "?" || unit == "}";
    if (depth == 0 && !quantifier && (!is_name_unit(unit) || unit == "_")) out = count;
  }
  return out;
}

// Returns the alternatives between two offsets of a pattern, without a group around them.
static std::string alternatives_in(const std::vector<std::string_view>& units, std::size_t begin, std::size_t end) {
  const bool group = end - begin > 2 && units[begin] == "(" && units[end - 1] == ")" &&
                     std::find(units.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                               units.begin() + static_cast<std::ptrdiff_t>(end) - 1,
                               "(") == units.begin() + static_cast<std::ptrdiff_t>(end) - 1;
  std::string out;
  for (std::size_t at = begin + (group ? 1 : 0); at < end - (group ? 1 : 0); ++at) out += units[at];
  return group && out.starts_with("?:") ? out.substr(2) : out;
}

std::string joined_patterns(std::string_view one, std::string_view other) {
  const std::vector<std::string_view> a = pattern_units(one);
  const std::vector<std::string_view> b = pattern_units(other);
  const bool whole = choices_of(a).size() > 1 || choices_of(b).size() > 1;  // alternatives without a group
  const std::size_t begin = whole ? 0 : common_begin(a, b);
  const std::size_t end = whole ? 0 : common_end(a, b, begin);
  std::string out;
  for (std::size_t at = 0; at < begin; ++at) out += a[at];
  out += "(" + alternatives_in(a, begin, a.size() - end) + "|" + alternatives_in(b, begin, b.size() - end) + ")";
  for (std::size_t at = a.size() - end; at < a.size(); ++at) out += a[at];
  return out;
}

}  // namespace sparsecfg::model
