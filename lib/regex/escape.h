#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regex/scanner.h"
#include "regex/width.h"

namespace sparsecfg::regex {

// A Python backslash sequence.
struct Escape {
  enum class Kind : std::uint8_t {
    character,  // `value` is the code point
    category,   // `value` is the letter: d D s S w W
    position,   // `value` is the letter: A b B Z
    group,      // `value` is the group number, not yet checked
  };
  Kind kind = Kind::character;
  char32_t value = 0;
};

// Reads the rest of an escape after `token`, a backslash and the next character. Errors go to the scanner.
[[nodiscard]] Escape read_escape(Scanner& scanner, std::string_view token);

// Reads an escape between `[` and `]`, where positions and groups are invalid and `\b` is a backspace.
[[nodiscard]] Escape read_set_escape(Scanner& scanner, std::string_view token);

// Reads the repeat count of the preceding item. `token` is `*`, `+`, `?` or `{`, already consumed. Returns nullopt if a
// brace is literal. Errors go to the scanner.
[[nodiscard]] std::optional<Width> read_count(Scanner& scanner, std::string_view token);

// A range of characters (equal ends for a single one) or a Python category.
struct SetMember {
  char32_t first = 0;
  char32_t last = 0;
  char category = 0;  // category letter: d, D, s, S, w or W; 0 for a range
};

struct SetText {
  bool negated = false;
  std::vector<SetMember> members;
};

// Reads a set up to its `]`; its `[` is already consumed. Errors go to the scanner.
[[nodiscard]] SetText read_set(Scanner& scanner);

}  // namespace sparsecfg::regex
