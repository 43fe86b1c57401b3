#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regex/lazy_dfa.h"

namespace sparsecfg::model {

// A half-open range of consecutive name indices.
using IndexRange = std::pair<std::uint32_t, std::uint32_t>;

// ASCII names as a directed acyclic word graph. Names are split after each `.`; common prefixes share edges, and common
// suffixes share nodes. The experts of a mixture differ only in their numbers and share one node, so a pattern is
// matched against them once.
class Dawg {
 public:
  // Accepts at most 2^32 - 1 names, which must not be empty.
  explicit Dawg(const std::vector<std::string_view>& names);

  // Returns the names that the automaton accepts, as ascending ranges of indices. Returns nullopt if the budget is
  // exhausted.
  [[nodiscard]] std::optional<std::vector<IndexRange>> matched(regex::Automaton& automaton, base::Budget& budget) const;

 private:
  using Id = std::uint32_t;

  // A piece of a name and the node after it. Indices of names are consecutive in the order of the edges.
  struct Edge {
    Id piece;
    Id node;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  struct Node {
    std::uint32_t first_edge;
    std::uint32_t names;  // number of names below this node
  };
  friend class DawgBuilder;
  friend class NameWalk;

  [[nodiscard]] std::string_view piece(Id id) const {
    return std::string_view(text_).substr(piece_begins_[id], piece_begins_[id + 1] - piece_begins_[id]);
  }

  [[nodiscard]] std::span<const Edge> edges(Id id) const {
    return std::span(edges_).subspan(nodes_[id].first_edge, nodes_[id + 1].first_edge - nodes_[id].first_edge);
  }

  // Flat arrays, because names without common endings have a node for each piece.
  std::string text_;                         // all pieces
  std::vector<std::uint32_t> piece_begins_;  // one more than pieces
  std::vector<Edge> edges_;
  std::vector<Node> nodes_;  // the first node is the end of names; the last one only ends the edges
  Id root_ = 0;
};

}  // namespace sparsecfg::model
