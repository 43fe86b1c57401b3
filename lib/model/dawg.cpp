#include "model/dawg.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_map>

namespace sparsecfg::model {

// Maximum number of pieces of a name, which limits the depth of the graph. Remaining dots belong to the last piece.
constexpr std::size_t kMaxPieces = 48;

// Returns the length of the common prefix. Compares eight bytes at a time, because names of a model are similar.
static std::size_t common_prefix(std::string_view a, std::string_view b) {
  constexpr std::size_t kAtOnce = 8;
  const std::size_t size = std::min(a.size(), b.size());
  std::size_t at = 0;
  while (at + kAtOnce <= size && std::memcmp(a.data() + at, b.data() + at, kAtOnce) == 0) at += kAtOnce;
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

static std::uint64_t mixed(std::uint64_t hash) {
  hash *= 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

// A set of ids with four bytes per slot. The owner has the content of each id.
class IdTable {
 public:
  // Returns the id for which `equals` is true, or adds `id`. `hash_of` returns the hash of an id in the table.
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t id, auto equals, auto hash_of) {
    if (2 * (count_ + 1) > slots_.size()) grow(hash_of);
    std::size_t at = place(hash);
    for (; slots_[at] != kFree; at = (at + 1) & (slots_.size() - 1)) {
      if (equals(slots_[at])) return slots_[at];
    }
    slots_[at] = id;
    ++count_;
    return id;
  }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  [[nodiscard]] std::size_t place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }

  void grow(auto hash_of) {
    constexpr std::size_t kLeast = 64;
    const std::vector<std::uint32_t> before = std::move(slots_);
    slots_.assign(std::max(kLeast, 2 * before.size()), kFree);
    for (const std::uint32_t id : before) {
      if (id == kFree) continue;
      std::size_t at = place(hash_of(id));
      while (slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::size_t count_ = 0;
};

// Keeps the path of the last name modifiable. Nodes that the next name leaves are final, and are merged with an equal
// existing node.
class DawgBuilder {
 public:
  explicit DawgBuilder(Dawg& graph) : graph_(graph) {
    graph_.piece_begins_.push_back(0);
    graph_.nodes_ = {{0, 1}, {0, 0}};
    open();
  }

  void add(std::string_view name) {
    const std::size_t common = common_prefix(name, last_);
    while (!ends_.empty() && ends_.back() > common) ends_.pop_back();
    leave(ends_.size());
    std::size_t begin = ends_.empty() ? 0 : ends_.back();
    for (std::size_t dot = name.find('.', begin); dot != name.npos && ends_.size() + 1 < kMaxPieces;
         dot = name.find('.', begin)) {
      put(name.substr(begin, dot + 1 - begin));
      open();
      begin = dot + 1;
      ends_.push_back(begin);
    }
    put(name.substr(begin));
    last_ = name;
  }

  void finish() {
    leave(0);
    graph_.root_ = node(way_.front());
  }

 private:
  using Id = Dawg::Id;
  using Edges = std::vector<Dawg::Edge>;

  static std::uint64_t hash_of(std::span<const Dawg::Edge> edges) {
    std::uint64_t hash = edges.size();
    for (const auto& [piece, node] : edges) hash = mixed(hash ^ piece ^ (std::uint64_t{node} << 32));
    return hash;
  }

  static std::uint64_t hash_of(std::string_view text) { return mixed(std::hash<std::string_view>()(text)); }

  // Reuses the memory of a previous level.
  void open() {
    if (way_.size() == levels_) way_.emplace_back();
    way_[levels_++].clear();
  }

  void put(std::string_view text) { way_[levels_ - 1].push_back({piece(text), 0}); }

  void leave(std::size_t depth) {
    for (; levels_ > depth + 1; --levels_) {
      way_[levels_ - 2].back().node = node(way_[levels_ - 1]);
    }
  }

  Id node(const Edges& edges) {
    const auto id = static_cast<Id>(graph_.nodes_.size() - 1);
    const Id known = nodes_.find_or_add(
        hash_of(edges), id, [&](Id other) { return std::ranges::equal(graph_.edges(other), edges); },
        [&](Id other) { return hash_of(graph_.edges(other)); });
    if (known != id) {
      return known;
    }
    for (const Dawg::Edge& edge : edges) graph_.nodes_[id].names += graph_.nodes_[edge.node].names;
    graph_.edges_.insert(graph_.edges_.end(), edges.begin(), edges.end());
    graph_.nodes_.push_back({static_cast<std::uint32_t>(graph_.edges_.size()), 0});
    return id;
  }

  Id piece(std::string_view text) {
    const auto id = static_cast<Id>(graph_.piece_begins_.size() - 1);
    const Id known = pieces_.find_or_add(
        hash_of(text), id, [&](Id other) { return graph_.piece(other) == text; },
        [&](Id other) { return hash_of(graph_.piece(other)); });
    if (known == id) {
      graph_.text_ += text;
      graph_.piece_begins_.push_back(static_cast<std::uint32_t>(graph_.text_.size()));
    }
    return known;
  }

  Dawg& graph_;
  std::string_view last_;
  std::vector<std::size_t> ends_;  // ends of the pieces of the last name, except the last piece
  std::vector<Edges> way_;         // the nodes on the path of the last name, followed by unused nodes
  std::size_t levels_ = 0;         // number of nodes on the path
  IdTable nodes_;
  IdTable pieces_;
};

Dawg::Dawg(const std::vector<std::string_view>& names) {
  DawgBuilder builder(*this);
  for (const std::string_view name : names) {
    builder.add(name);
  }
  builder.finish();
}

// Runs an automaton over the graph. Visits each node once per automaton state.
class NameWalk {
 public:
  NameWalk(const Dawg& graph, regex::Automaton& automaton, base::Budget& budget)
      : graph_(graph), automaton_(automaton), budget_(budget) {}

  // Returns the matching names below a node, numbered from its first name. Returns null if the budget is exhausted.
  const std::vector<IndexRange>* behind(Dawg::Id id, regex::Automaton::State state) {
    const std::uint64_t key = std::uint64_t{id} << 32 | state;
    if (const auto known = known_.find(key); known != known_.end()) {
      return &known->second;
    }
    std::vector<IndexRange> matched;
    std::uint32_t first = 0;
    for (const Dawg::Edge& edge : graph_.edges(id)) {
      const auto next = automaton_.walk(state, graph_.piece(edge.piece), budget_);
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
    const bool all = ends ? automaton_.accepts(state) : automaton_.accepts_everything(state);
    if (all) {
      join(matched, {first, first + graph_.nodes_[id].names});
    }
    if (all || ends || automaton_.accepts_nothing(state)) {
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
  base::Budget& budget_;
  std::unordered_map<std::uint64_t, std::vector<IndexRange>> known_;
};

std::optional<std::vector<IndexRange>> Dawg::matched(regex::Automaton& automaton, base::Budget& budget) const {
  NameWalk walk(*this, automaton, budget);
  const std::vector<IndexRange>* found = walk.behind(root_, regex::Automaton::start());
  return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace sparsecfg::model
