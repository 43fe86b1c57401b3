#pragma once

#include <cstdint>
#include <string_view>

#include "regex/scanner.h"

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

}  // namespace sparsecfg::regex
