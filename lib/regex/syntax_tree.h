#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regex/char_set.h"
#include "regex/width.h"

namespace sparsecfg::regex {

// A zero-width assertion between two characters.
struct Position {
  enum class Kind : std::uint8_t { start, end, boundary, no_boundary };
  Kind kind = Kind::start;
  bool ascii = false;  // the boundary is between ASCII words
  friend bool operator==(const Position&, const Position&) = default;
};

// A part of a pattern, reduced to what affects the matching names. Groups, group names and greediness are removed.
struct Node {
  enum class Kind : std::uint8_t {
    letters,   // one of `letters`
    position,  // no character, at `position`
    sequence,  // all `parts` in sequence
    either,    // one of `parts`
    repeat,    // the single part, `count` times
  };
  Kind kind = Kind::sequence;
  CharSet letters;
  Position position;
  Width count;
  std::vector<Node> parts;
  friend bool operator==(const Node&, const Node&) = default;
};

// The reason why a pattern's language can't be analyzed.
struct Unsupported {
  std::string reason;
};

// Parses a Python `re` pattern with only regular constructs: no look-around, group references, atomic groups or
// possessive repeats. `$` is read as `\Z` and `(?m)` is ignored, which is equivalent for strings without line feeds.
[[nodiscard]] std::variant<Node, Unsupported> parse(std::string_view python_pattern);

}  // namespace sparsecfg::regex
