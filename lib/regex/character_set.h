#pragma once

#include <string>
#include <string_view>

#include "regex/flags.h"

namespace sparsecfg::regex {

// Writes characters and sets for PCRE2 with the meaning that they have in Python. PCRE2's `\s` lacks the separators
// U+001C to U+001F, it folds the case of a few letters differently, and it lacks the flag `a`.
class CharacterSet {
 public:
  explicit CharacterSet(const Flags& flags) : flags_(flags) {}

  void add(char32_t character) { add_range(character, character); }

  void add_range(char32_t first, char32_t last);
  // Adds a Python category by its letter: d, D, s, S, w or W.
  void add_category(char letter);

  [[nodiscard]] std::string text(bool negated) const;

 private:
  void add_plain(char32_t first, char32_t last);
  void add_ascii_case(char32_t first, char32_t last);
  void add_unicode_case(char32_t first, char32_t last);

  Flags flags_;
  std::string members_;
};

// Returns one character, as a set if case folding requires one.
[[nodiscard]] std::string character_text(char32_t character, const Flags& flags);
[[nodiscard]] std::string category_text(char letter, const Flags& flags);

// Returns the assertion for a Python position by its letter: A, b, B or Z.
[[nodiscard]] std::string position_text(char letter, const Flags& flags);

}  // namespace sparsecfg::regex
