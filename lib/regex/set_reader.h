#pragma once

#include <vector>

#include "regex/scanner.h"

namespace sparsecfg::regex {

// A range of characters, of one where both ends are the same, or one of Python's categories.
struct SetMember {
  char32_t first = 0;
  char32_t last = 0;
  char category = 0;  // its letter: d, D, s, S, w or W; 0 for a range
};

struct SetText {
  bool negated = false;
  std::vector<SetMember> members;
};

// Reads a set whose `[` is already taken, with its `]`. Refusals go to the scanner.
[[nodiscard]] SetText read_set(Scanner& scanner);

}  // namespace sparsecfg::regex
