#pragma once

#include <cstdint>
#include <string>

#include "regex/budget.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

struct Comparison {
  enum class Answer : std::uint8_t {
    yes,
    no,
    unknown,  // more work than is spent on it, or it hangs on a character of which too little is known
  };
  Answer answer = Answer::unknown;
  std::string witness;  // the name that proves it, where one does; see the questions

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// Both questions are about names, so neither counts the empty text and texts with a line feed. The
// witness is the shortest name that proves the answer, made of letters, digits, `_` and `.` where
// that is possible, first of those that stand in the patterns. It is longer than need be only to
// avoid characters that names seldom have.

// Returns true if there is a name that both take. The witness of a yes is such a name.
[[nodiscard]] Comparison intersects(const Nfa& a, const Nfa& b, Budget& budget);
[[nodiscard]] Comparison intersects(const Nfa& a, const Nfa& b);

// Returns true if `a` takes every name that `b` takes. The witness of a no is a name that only `b` takes.
[[nodiscard]] Comparison contains(const Nfa& a, const Nfa& b, Budget& budget);
[[nodiscard]] Comparison contains(const Nfa& a, const Nfa& b);

}  // namespace sparsecfg::regex
