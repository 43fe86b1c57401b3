#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "model/selectors/edge_table.h"

namespace sparsecfg::selectors {

// Finds all occurrences of many texts in a name in one pass (an Aho-Corasick automaton).
class LiteralIndex {
 public:
  // Adds the texts, numbered by their index. Equal texts and empty texts are allowed.
  explicit LiteralIndex(std::vector<std::string_view> texts);

  // Calls visit(number of the text, begin) for each occurrence. Returns false if the budget is exhausted.
  bool scan(std::string_view name, base::Budget& budget, auto visit) const;

 private:
  static constexpr std::uint32_t kNone = EdgeTable::kNone;
  static constexpr std::uint32_t kRoot = 0;

  struct Node {
    std::uint32_t parent = kNone;
    std::uint32_t depth = 0;
    std::uint32_t fallback = kRoot;    // the longest proper suffix that is a node
    std::uint32_t shorter = kNone;     // the longest proper suffix that is a text
    std::uint32_t first_text = kNone;  // list of equal texts
    unsigned char letter = 0;          // of the edge from the parent
  };

  [[nodiscard]] std::uint32_t next(std::uint32_t state, unsigned char letter) const;
  std::uint32_t add_child(std::uint32_t from, unsigned char letter);
  void add(std::uint32_t number);
  void add_fallbacks();

  std::vector<std::string_view> texts_;
  std::vector<Node> nodes_;
  EdgeTable edges_;
  std::vector<std::uint32_t> next_equal_;  // by text
};

bool LiteralIndex::scan(std::string_view name, base::Budget& budget, auto visit) const {
  constexpr std::size_t kHitCost = 4;
  std::uint32_t state = kRoot;
  const auto report = [&](std::size_t end) {
    std::uint32_t at = nodes_[state].first_text == kNone ? nodes_[state].shorter : state;
    for (; at != kNone; at = nodes_[at].shorter) {
      for (std::uint32_t text = nodes_[at].first_text; text != kNone; text = next_equal_[text]) {
        if (!budget.spend(kHitCost)) return false;
        visit(text, end - texts_[text].size());
      }
    }
    return true;
  };
  bool fits = budget.spend(name.size() + 1) && report(0);
  for (std::size_t at = 0; fits && at < name.size(); ++at) {
    state = next(state, static_cast<unsigned char>(name[at]));
    // The empty text occurs everywhere, but one occurrence at each end is sufficient for every comparison.
    fits = state == kRoot && at + 1 < name.size() ? true : report(at + 1);
  }
  return fits;
}

}  // namespace sparsecfg::selectors
