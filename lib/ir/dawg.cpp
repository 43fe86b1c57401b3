#include "ir/dawg.h"

#include <algorithm>
#include <functional>

namespace sparsecfg::ir {

// The rest of a name with more dots than this is one piece, so that the graph is not deep.
constexpr std::size_t kMaxPieces = 48;

static void cut(std::string_view name, std::vector<std::string_view>& pieces) {
  pieces.clear();
  while (pieces.size() + 1 < kMaxPieces) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
      break;
    }
    pieces.push_back(name.substr(0, dot + 1));
    name.remove_prefix(dot + 1);
  }
  pieces.push_back(name);
}

// Keeps the way of the last name open. When the next one leaves it, what is left will have no more
// edges, and is replaced by a node with the same ones if there is one already.
class DawgBuilder {
 public:
  explicit DawgBuilder(Dawg& graph) : graph_(graph) {
    graph_.nodes_.push_back({{}, 1});
    way_.emplace_back();
  }

  void add(std::string_view name) {
    cut(name, pieces_);
    std::size_t shared = 0;
    while (shared + 1 < std::min(pieces_.size(), last_.size()) && pieces_[shared] == last_[shared]) {
      ++shared;
    }
    leave(shared);
    for (std::size_t at = shared; at < pieces_.size(); ++at) {
      way_[at].push_back({piece(pieces_[at]), 0});
      if (at + 1 < pieces_.size()) way_.emplace_back();
    }
    std::swap(last_, pieces_);
  }

  void finish() {
    leave(0);
    graph_.root_ = node(std::move(way_.front()));
  }

 private:
  using Id = Dawg::Id;
  using Edges = std::vector<Dawg::Edge>;

  struct Hash {
    std::size_t operator()(const Edges& edges) const {
      std::size_t hash = edges.size();
      for (const auto& [piece, node] : edges) {
        hash = (hash ^ piece ^ (std::uint64_t{node} << 32)) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };

  void leave(std::size_t depth) {
    while (way_.size() > depth + 1) {
      const Id id = node(std::move(way_.back()));
      way_.pop_back();
      way_.back().back().node = id;
    }
  }

  Id node(Edges edges) {
    const auto [found, is_new] = nodes_.try_emplace(std::move(edges), static_cast<Id>(graph_.nodes_.size()));
    if (is_new) {
      std::uint32_t names = 0;
      for (const Dawg::Edge& edge : found->first) names += graph_.nodes_[edge.node].names;
      graph_.nodes_.push_back({found->first, names});
    }
    return found->second;
  }

  Id piece(std::string_view text) {
    const auto [found, is_new] = numbers_.try_emplace(text, static_cast<Id>(graph_.pieces_.size()));
    if (is_new) graph_.pieces_.emplace_back(text);
    return found->second;
  }

  Dawg& graph_;
  std::vector<std::string_view> pieces_;
  std::vector<std::string_view> last_;
  std::vector<Edges> way_;  // the nodes on the way of the last name
  std::unordered_map<Edges, Id, Hash> nodes_;
  std::unordered_map<std::string_view, Id> numbers_;
};

Dawg::Dawg(const std::vector<std::string_view>& names) {
  DawgBuilder builder(*this);
  for (const std::string_view name : names) {
    builder.add(name);
  }
  builder.finish();
}

// Follows an automaton through the graph, through each node once for each state that it is reached in.
class NameWalk {
 public:
  NameWalk(const Dawg& graph, regex::Automaton& automaton, regex::Budget& budget)
      : graph_(graph), automaton_(automaton), budget_(budget) {}

  // Returns the names that match from a node on, counted from its first name; null if the budget is spent.
  const std::vector<IndexRange>* behind(Dawg::Id id, regex::Automaton::State state) {
    const std::uint64_t key = std::uint64_t{id} << 32 | state;
    if (const auto known = known_.find(key); known != known_.end()) {
      return &known->second;
    }
    std::vector<IndexRange> matched;
    std::uint32_t first = 0;
    for (const Dawg::Edge& edge : graph_.nodes_[id].edges) {
      const auto next = automaton_.walk(state, graph_.pieces_[edge.piece], budget_);
      if (!next || !add(matched, edge.node, *next, first)) {
        return nullptr;
      }
      first += graph_.nodes_[edge.node].names;
    }
    return &known_.emplace(key, std::move(matched)).first->second;
  }

 private:
  bool add(std::vector<IndexRange>& matched, Dawg::Id id, regex::Automaton::State state, std::uint32_t first) {
    const bool ends = id == 0;
    const bool all = ends ? automaton_.accepts(state) : automaton_.takes_everything(state);
    if (all) {
      join(matched, {first, first + graph_.nodes_[id].names});
    }
    if (all || ends || automaton_.takes_nothing(state)) {
      return true;
    }
    const std::vector<IndexRange>* found = behind(id, state);
    if (found == nullptr || !budget_.spend(found->size())) {
      return false;
    }
    for (const IndexRange& stretch : *found) {
      join(matched, {first + stretch.first, first + stretch.second});
    }
    return true;
  }

  static void join(std::vector<IndexRange>& matched, IndexRange stretch) {
    if (!matched.empty() && matched.back().second == stretch.first) {
      matched.back().second = stretch.second;
    } else {
      matched.push_back(stretch);
    }
  }

  const Dawg& graph_;
  regex::Automaton& automaton_;
  regex::Budget& budget_;
  std::unordered_map<std::uint64_t, std::vector<IndexRange>> known_;
};

std::optional<std::vector<IndexRange>> Dawg::matched(regex::Automaton& automaton, regex::Budget& budget) const {
  NameWalk walk(*this, automaton, budget);
  const std::vector<IndexRange>* found = walk.behind(root_, regex::Automaton::start());
  return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace sparsecfg::ir
