#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "regex/automaton.h"

namespace sparsecfg::ir {

// A stretch of names that follow each other: from the first to before the last.
using IndexRange = std::pair<std::uint32_t, std::uint32_t>;

// Names of ASCII characters as a graph: cut behind each `.`, names with the same beginning share
// its edges and names with the same end share those of that. The experts of a mixture, which differ
// by their numbers, are a single node, so that a pattern is followed through them once.
class Dawg {
 public:
  // At most 2^32 - 1 names, none of them empty.
  explicit Dawg(const std::vector<std::string_view>& names);

  // The names that the automaton takes, as ascending stretches of their numbers; nullopt if that
  // is more work than the budget has.
  [[nodiscard]] std::optional<std::vector<IndexRange>> matched(regex::Automaton& automaton,
                                                               regex::Budget& budget) const;

 private:
  using Id = std::uint32_t;

  // What may follow: a piece of the name, and the node behind it. Numbers of the names behind an
  // edge follow those of the names behind the edges before it.
  struct Edge {
    Id piece;
    Id node;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  struct Node {
    std::vector<Edge> edges;
    std::uint32_t names = 0;  // that end behind it
  };
  friend class DawgBuilder;
  friend class NameWalk;

  std::vector<std::string> pieces_;
  std::vector<Node> nodes_;  // the first one is where names end
  Id root_ = 0;
};

}  // namespace sparsecfg::ir
