#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "regex/escape.h"
#include "regex/flags.h"

namespace sparsecfg::regex {

// Character kinds that `\d`, `\w`, `\s` and `\b` distinguish, by Unicode.
enum class CharacterKind : std::uint8_t { other, word, digit, space };

// A character, or a representative of characters that no set in question distinguishes.
struct CodePoint {
  char32_t character = 0;
  CharacterKind kind = CharacterKind::other;
};

[[nodiscard]] bool is_word(CodePoint letter, bool ascii);

// Returns the kind of an ASCII character.
[[nodiscard]] CharacterKind ascii_kind(char32_t character);

// A set of characters, as written in a pattern.
class CharSet {
 public:
  using Range = std::pair<char32_t, char32_t>;

  // Returns the set that `.` matches in a name, which contains no line feed.
  [[nodiscard]] static CharSet any();

  [[nodiscard]] static CharSet of(char32_t character) { return of(SetText{false, {{character, character, 0}}}, {}); }

  // Applies all flags; see foldable().
  [[nodiscard]] static CharSet of(const SetText& text, const Flags& flags);

  [[nodiscard]] bool contain(CodePoint letter) const;

  // Returns the ASCII members, except line feed, which does not occur in names.
  [[nodiscard]] std::bitset<128> ascii() const;
  // Returns false if the set contains no non-ASCII character.
  [[nodiscard]] bool may_go_beyond_ascii() const;

  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  friend auto operator<=>(const CharSet&, const CharSet&) = default;

 private:
  void add_folded(Range range, bool ascii);

  bool negated_ = false;
  std::vector<Range> ranges_;
  std::string categories_;        // Unicode categories
  std::string ascii_categories_;  // ASCII categories, with the flag `a`
};

// Returns true if the effect of the flags on the set is known. It is unknown for case-insensitive non-ASCII letters.
[[nodiscard]] bool foldable(const SetText& text, const Flags& flags);

}  // namespace sparsecfg::regex
