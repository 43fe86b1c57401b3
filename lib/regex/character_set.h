#pragma once

#include <string>
#include <string_view>

#include "regex/flags.h"

namespace sparsecfg::regex {

// Writes characters and sets of them for PCRE2 so that they mean what Python means: PCRE2's `\s`
// lacks the separators U+001C to U+001F, it folds the case of a few letters otherwise, and it has
// no flag `a`.
class CharacterSet {
 public:
  explicit CharacterSet(const Flags& flags) : flags_(flags) {}

  void add(char32_t character) { add_range(character, character); }

  void add_range(char32_t first, char32_t last);
  // One of Python's categories by its letter: d, D, s, S, w or W.
  void add_category(char letter);

  [[nodiscard]] std::string text(bool negated) const;

 private:
  void add_plain(char32_t first, char32_t last);
  void add_ascii_case(char32_t first, char32_t last);
  void add_unicode_case(char32_t first, char32_t last);

  Flags flags_;
  std::string members_;
};

// One character, as a set where its case needs one.
[[nodiscard]] std::string character_text(char32_t character, const Flags& flags);
[[nodiscard]] std::string category_text(char letter, const Flags& flags);

// What asserts one of Python's positions by its letter: A, b, B or Z.
[[nodiscard]] std::string position_text(char letter, const Flags& flags);

}  // namespace sparsecfg::regex
