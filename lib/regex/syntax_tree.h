#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regex/char_set.h"
#include "regex/width.h"

namespace sparsecfg::regex {

// What a place between two characters has to be.
struct Position {
  enum class Kind : std::uint8_t { start, end, boundary, no_boundary };
  Kind kind = Kind::start;
  bool ascii = false;  // the boundary is one of ASCII words
  friend bool operator==(const Position&, const Position&) = default;
};

// A part of a pattern, reduced to what decides which names it matches: groups, names of groups and how
// greedy a repeat is are gone.
struct Node {
  enum class Kind : std::uint8_t {
    letters,   // one of `letters`
    position,  // no character, at `position`
    sequence,  // all `parts`, one after the other
    either,    // one of `parts`
    repeat,    // the one of `parts`, `count` times
  };
  Kind kind = Kind::sequence;
  CharSet letters;
  Position position;
  Width count;
  std::vector<Node> parts;
  friend bool operator==(const Node&, const Node&) = default;
};

// Why a pattern's language can't be analysed.
struct Unsupported {
  std::string reason;
};

// Reads a pattern of Python's `re` that is made of the regular constructs: no look-around, no
// references to groups, no atomic groups and repeats. `$` counts as `\Z` and `(?m)` as nothing,
// which they are in a text without line feeds.
[[nodiscard]] std::variant<Node, Unsupported> parse(std::string_view python_pattern);

}  // namespace sparsecfg::regex
