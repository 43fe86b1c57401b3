#include "regex/char_set.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace sparsecfg::regex {

// Non-ASCII characters that equal an ASCII letter if case is ignored.
constexpr std::array<std::pair<char32_t, char32_t>, 4> kPartners = {{
    {U'i', U'\u0130'},  // capital I with dot
    {U'i', U'\u0131'},  // small dotless i
    {U'k', U'\u212a'},  // kelvin sign
    {U's', U'\u017f'},  // long s
}};

static bool is_ascii(char32_t character) { return character < 0x80; }

bool is_word(CodePoint letter, bool ascii) {
  const bool word = letter.kind == CharacterKind::word || letter.kind == CharacterKind::digit;
  return word && (!ascii || is_ascii(letter.character));
}

CharacterKind ascii_kind(char32_t character) {
  const auto byte = static_cast<char>(character);
  if (base::is_digit(byte)) {
    return CharacterKind::digit;
  }
  if (base::is_letter(byte) || byte == '_') {
    return CharacterKind::word;
  }
  const bool space = (character >= 0x09 && character <= 0x0d) || (character >= 0x1c && character <= 0x20);
  return space ? CharacterKind::space : CharacterKind::other;
}

static bool is_space(CodePoint letter, bool ascii) {
  const bool separator = letter.character >= 0x1c && letter.character <= 0x1f;
  return letter.kind == CharacterKind::space && (!ascii || (is_ascii(letter.character) && !separator));
}

static bool in_category(char category, CodePoint letter, bool ascii) {
  switch (category) {
    case 'd': return letter.kind == CharacterKind::digit && (!ascii || is_ascii(letter.character));
    case 's': return is_space(letter, ascii);
    case 'w': return is_word(letter, ascii);
    case 'D': return !in_category('d', letter, ascii);
    case 'S': return !is_space(letter, ascii);
    default: return !is_word(letter, ascii);
  }
}

CharSet CharSet::any() {
  CharSet letters;
  letters.negated_ = true;
  return letters;
}

CharSet CharSet::of(const SetText& text, const Flags& flags) {
  CharSet letters;
  letters.negated_ = text.negated;
  for (const SetMember& member : text.members) {
    if (member.category != 0) {
      (flags.ascii ? letters.ascii_categories_ : letters.categories_) += member.category;
    } else if (flags.ignore_case) {
      letters.add_folded({member.first, member.last}, flags.ascii);
    } else {
      letters.ranges_.emplace_back(member.first, member.last);
    }
  }
  return letters;
}

void CharSet::add_folded(Range range, bool ascii) {
  const char32_t shift = 'a' - 'A';
  const auto [first, last] = range;
  std::vector<Range> folded = {range};
  if (first <= U'Z' && last >= U'A') {
    folded.emplace_back(std::max(first, U'A') + shift, std::min(last, U'Z') + shift);
  }
  if (first <= U'z' && last >= U'a') {
    folded.emplace_back(std::max(first, U'a') - shift, std::min(last, U'z') - shift);
  }
  ranges_.insert(ranges_.end(), folded.begin(), folded.end());
  for (const auto& [letter, partner] : kPartners) {
    const auto holds = [at = letter](const Range& r) { return r.first <= at && at <= r.second; };
    if (!ascii && std::ranges::any_of(folded, holds)) {
      ranges_.emplace_back(partner, partner);
    }
  }
}

bool CharSet::contain(CodePoint letter) const {
  const auto in_range = [&](const Range& r) { return r.first <= letter.character && letter.character <= r.second; };
  const auto categories = [&](const std::string& list, bool ascii) {
    return std::ranges::any_of(list, [&](char category) { return in_category(category, letter, ascii); });
  };
  const bool member =
      std::ranges::any_of(ranges_, in_range) || categories(categories_, false) || categories(ascii_categories_, true);
  return member != negated_;
}

std::bitset<128> CharSet::ascii() const {
  const bool categories = !categories_.empty() || !ascii_categories_.empty();
  std::bitset<128> out;
  for (const auto& [first, last] : ranges_) {
    for (char32_t character = first; character <= last && is_ascii(character); ++character) out.set(character);
  }
  if (negated_) out.flip();
  for (char32_t character = 0; categories && is_ascii(character); ++character) {
    out.set(character, contain({character, ascii_kind(character)}));
  }
  out.reset('\n');
  return out;
}

bool CharSet::may_go_beyond_ascii() const {
  const auto goes_beyond = [](const Range& range) { return !is_ascii(range.second); };
  return negated_ || !categories_.empty() || !ascii_categories_.empty() || std::ranges::any_of(ranges_, goes_beyond);
}

bool foldable(const SetText& text, const Flags& flags) {
  const auto known = [](const SetMember& member) { return is_ascii(member.last); };
  return !flags.ignore_case || flags.ascii || std::ranges::all_of(text.members, known);
}

}  // namespace sparsecfg::regex
