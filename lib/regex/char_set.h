#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "regex/escape.h"
#include "regex/flags.h"

namespace sparsecfg::regex {

// What `\d`, `\w`, `\s` and `\b` tell apart, by Unicode.
enum class CharacterKind : std::uint8_t { other, word, digit, space };

// A character, or any of those that no set in question tells from it.
struct CodePoint {
  char32_t character = 0;
  CharacterKind kind = CharacterKind::other;
};

[[nodiscard]] bool is_word(CodePoint letter, bool ascii);

// The kind of a character of ASCII.
[[nodiscard]] CharacterKind ascii_kind(char32_t character);

// A set of characters as a pattern writes it.
class CharSet {
 public:
  using Range = std::pair<char32_t, char32_t>;

  // What `.` takes of a name, which holds no line feed.
  [[nodiscard]] static CharSet any();

  [[nodiscard]] static CharSet of(char32_t character) { return of(SetText{false, {{character, character, 0}}}, {}); }

  // The flags count in full; see foldable().
  [[nodiscard]] static CharSet of(const SetText& text, const Flags& flags);

  [[nodiscard]] bool contain(CodePoint letter) const;

  // The characters of ASCII in it, without the line feed, which no name holds.
  [[nodiscard]] std::bitset<128> ascii() const;
  // Returns false if no character beyond ASCII is in it.
  [[nodiscard]] bool may_go_beyond_ascii() const;

  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  friend auto operator<=>(const CharSet&, const CharSet&) = default;

 private:
  void add_folded(Range range, bool ascii);

  bool negated_ = false;
  std::vector<Range> ranges_;
  std::string categories_;        // as Unicode has them
  std::string ascii_categories_;  // as they are under the flag `a`
};

// Returns true if what the flags make of the set is known here: the case of letters beyond ASCII is not.
[[nodiscard]] bool foldable(const SetText& text, const Flags& flags);

}  // namespace sparsecfg::regex
