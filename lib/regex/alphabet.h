#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "regex/nfa.h"

namespace sparsecfg::regex {

// What stands on one side of a position: as far as `\b` and `^` are concerned.
enum class Side : std::uint8_t { edge, other, unicode_word, ascii_word };

// The characters of names, those thrown together that neither of two languages tells apart. The
// most readable of them speaks for the others.
class Alphabet {
 public:
  struct SymbolClass {
    CodePoint letter;
    Side side = Side::other;
    // What a name pays for it: the cheapest of all names is the most readable of the short ones.
    std::uint64_t cost = 0;
    // True if there is such a character; of some kinds between two characters beyond ASCII it is
    // not known.
    bool exists = true;
  };

  Alphabet(const Nfa& a, const Nfa& b);

  [[nodiscard]] const std::vector<SymbolClass>& signs() const { return signs_; }

  // The sign to which a character of ASCII belongs that is no line feed.
  [[nodiscard]] std::size_t sign_of(char character) const { return of_ascii_[static_cast<unsigned char>(character)]; }

  // The sign to which the dot belongs, that parts the pieces of a name.
  [[nodiscard]] std::size_t dot() const { return dot_; }

 private:
  void add_ascii();
  void add_beyond_ascii();
  void add_segment(char32_t first, char32_t last);
  void add(CodePoint letter, bool exists);
  void merge(const Nfa& a, const Nfa& b);
  [[nodiscard]] std::uint64_t cost_of_ascii(char32_t character) const;

  std::vector<CharSet::Range> ranges_;  // of both languages
  std::bitset<128> named_;              // the characters of ASCII that one of them names alone
  std::vector<SymbolClass> signs_;
  std::array<std::size_t, 128> of_ascii_{};
  std::size_t dot_ = 0;
};

}  // namespace sparsecfg::regex
