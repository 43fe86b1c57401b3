#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "regex/nfa.h"

namespace sparsecfg::regex {

// The character on one side of a position, as far as `\b` and `^` distinguish it.
enum class Side : std::uint8_t { edge, other, unicode_word, ascii_word };

// Equivalence classes of name characters that neither of two languages distinguishes. The most readable character
// represents its class.
class Alphabet {
 public:
  struct SymbolClass {
    CodePoint letter;
    Side side = Side::other;
    // Cost in a name. The cheapest name is the most readable of the short ones.
    std::uint64_t cost = 0;
    // True if such a character is known to exist. For some kinds between two non-ASCII characters this is unknown.
    bool exists = true;
  };

  Alphabet(const Nfa& a, const Nfa& b);

  [[nodiscard]] const std::vector<SymbolClass>& symbols() const { return symbols_; }

  // Returns the symbol of an ASCII character other than line feed.
  [[nodiscard]] std::size_t symbol_of(char character) const { return of_ascii_[static_cast<unsigned char>(character)]; }

  // Returns the symbol of the dot, which separates the parts of a name.
  [[nodiscard]] std::size_t dot() const { return dot_; }

 private:
  void add_ascii();
  void add_beyond_ascii();
  void add_segment(char32_t first, char32_t last);
  void add(CodePoint letter, bool exists);
  void merge(const Nfa& a, const Nfa& b);
  [[nodiscard]] std::uint64_t cost_of_ascii(char32_t character) const;

  std::vector<CharSet::Range> ranges_;  // of both languages
  std::bitset<128> named_;              // ASCII characters that one of the languages names individually
  std::vector<SymbolClass> symbols_;
  std::array<std::size_t, 128> of_ascii_{};
  std::size_t dot_ = 0;
};

}  // namespace sparsecfg::regex
