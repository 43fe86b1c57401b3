#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "doc/readers.h"

namespace sparsecfg::doc {

// Size of a node with aliases expanded: number of nodes in it and nesting depth of its collections. Each repetition of
// the node adds this size.
struct Cost {
  std::size_t nodes = 0;
  std::size_t height = 0;
};

enum class LimitError : std::uint8_t { none, nodes, depth };

// Computes the size of a document with aliases expanded, without expanding them. A scalar counts as one node per
// started 16 bytes, so that repeating a long string adds to the size.
class Expansion {
 public:
  explicit Expansion(const Limits& limits) : limits_(limits) {}

  [[nodiscard]] static Cost scalar(std::size_t bytes) { return {1 + bytes / 16, 0}; }

  // Adds a node without items, or a repeated node.
  [[nodiscard]] LimitError add(Cost cost);
  // Enters a collection; leave() leaves it.
  [[nodiscard]] LimitError enter();
  [[nodiscard]] Cost leave();

 private:
  struct Level {
    std::size_t nodes_before = 0;
    std::size_t height = 0;  // largest height of the items so far
  };

  const Limits& limits_;
  std::vector<Level> levels_;
  std::size_t nodes_ = 0;
};

}  // namespace sparsecfg::doc
