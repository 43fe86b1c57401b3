#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "doc/readers.h"

namespace sparsecfg::doc {

// What a node costs each time that it is repeated: the nodes in it and the collections nested in
// it, the aliases in it replaced by what they stand for.
struct Cost {
  std::size_t nodes = 0;
  std::size_t height = 0;
};

enum class LimitError : std::uint8_t { none, nodes, depth };

// Counts a document as large as its aliases make it, without expanding them. A scalar counts as
// one node for each 16 bytes begun, so that repeating a long text is not for free.
class Expansion {
 public:
  explicit Expansion(const Limits& limits) : limits_(limits) {}

  [[nodiscard]] static Cost scalar(std::size_t bytes) { return {1 + bytes / 16, 0}; }

  // A node without items of its own, or one that is repeated.
  [[nodiscard]] LimitError add(Cost cost);
  // A collection begins, and ends.
  [[nodiscard]] LimitError enter();
  [[nodiscard]] Cost leave();

 private:
  struct Level {
    std::size_t nodes_before = 0;
    std::size_t height = 0;  // of the highest item so far
  };

  const Limits& limits_;
  std::vector<Level> levels_;
  std::size_t nodes_ = 0;
};

}  // namespace sparsecfg::doc
