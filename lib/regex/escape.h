#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regex/scanner.h"
#include "regex/width.h"

namespace sparsecfg::regex {

// What a backslash sequence of Python's stands for.
struct Escape {
  enum class Kind : std::uint8_t {
    character,  // `value` is the code point
    category,   // `value` is the letter: d D s S w W
    position,   // `value` is the letter: A b B Z
    group,      // `value` is the number of a group, not looked up yet
  };
  Kind kind = Kind::character;
  char32_t value = 0;
};

// Reads on behind `token`, a backslash and a character already taken. Refusals go to the scanner.
[[nodiscard]] Escape read_escape(Scanner& scanner, std::string_view token);

// The same between `[` and `]`, where no positions and groups are known and `\b` is a backspace.
[[nodiscard]] Escape read_set_escape(Scanner& scanner, std::string_view token);

// How often the item before `token` is repeated, where `token` is `*`, `+`, `?` or `{` and already
// taken; nullopt if a brace stands for itself. Counts that are refused go to the scanner.
[[nodiscard]] std::optional<Width> read_count(Scanner& scanner, std::string_view token);

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
