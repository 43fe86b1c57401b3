#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparsecfg::selectors {

// The edges of a tree of letters: a flat hash table from a node and a letter to a node.
class EdgeTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // `count` is the number of edges that are expected.
  explicit EdgeTable(std::size_t count = 0) : edges_(std::bit_ceil(2 * count + 2)) {}

  // Returns kNone if there is no such edge.
  [[nodiscard]] std::uint32_t find(std::uint32_t from, unsigned char letter) const {
    return edges_[slot_of(from, letter)].to;
  }

  // Adds an edge that does not exist.
  void add(std::uint32_t from, unsigned char letter, std::uint32_t to) {
    if (2 * ++size_ > edges_.size()) grow();
    edges_[slot_of(from, letter)] = {from, to, letter};
  }

 private:
  struct Edge {
    std::uint32_t from = kNone;
    std::uint32_t to = kNone;
    unsigned char letter = 0;
  };

  [[nodiscard]] std::size_t slot_of(std::uint32_t from, unsigned char letter) const {
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
    const std::uint64_t hash = ((std::uint64_t{from} << 8U) | letter) * kMultiplier;
    const std::size_t mask = edges_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash >> 24U) & mask;
    while (edges_[at].from != kNone && (edges_[at].from != from || edges_[at].letter != letter)) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Edge> old(2 * edges_.size());
    old.swap(edges_);
    for (const Edge& edge : old) {
      if (edge.from != kNone) edges_[slot_of(edge.from, edge.letter)] = edge;
    }
  }

  std::vector<Edge> edges_;
  std::size_t size_ = 0;
};

}  // namespace sparsecfg::selectors
