#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  [[nodiscard]] std::optional<std::vector<IndexRange>> matched(regex::Automaton& automaton,
                                                               regex::Budget& budget) const;

 private:
  using Id = std::uint32_t;

  // A piece of a name and the node after it. Indices of names are consecutive in the order of the edges.
  struct Edge {
    Id piece;
    Id node;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  struct Node {
    std::vector<Edge> edges;
    std::uint32_t names = 0;  // number of names below this node
  };
  friend class DawgBuilder;
  friend class NameWalk;

  std::vector<std::string> pieces_;
  std::vector<Node> nodes_;  // the first node is the end of names
  Id root_ = 0;
};

}  // namespace sparsecfg::model
