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
    unknown,  // the budget is exhausted, or the answer depends on a character with unknown properties
  };
  Answer answer = Answer::unknown;
  std::string witness;  // a name that proves the answer, if one does; see the functions below

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// Both functions compare only names, so the empty string and strings with a line feed do not count. The witness is the
// shortest name that proves the answer. It consists of letters, digits, `_` and `.` if possible, preferably of those in
// the patterns. It is longer than necessary only to avoid characters that are rare in names.

// Checks whether both languages accept a common name. The witness of `yes` is such a name.
[[nodiscard]] Comparison intersects(const Nfa& a, const Nfa& b, base::Budget& budget);

// Checks whether `a` accepts every name that `b` accepts. The witness of `no` is a name that only `b` accepts.
[[nodiscard]] Comparison contains(const Nfa& a, const Nfa& b, base::Budget& budget);

// Returns true if no name is accepted by both languages. False proves nothing: positions such as `\b`, non-ASCII
// characters and languages with very many states are not examined. Much faster than searching for a common name.
[[nodiscard]] bool are_disjoint(const Nfa& a, const Nfa& b, base::Budget& budget);

}  // namespace sparsecfg::regex
