#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "model/selectors/edge_table.h"

namespace sparsecfg::selectors {

// Finds the patterns that match from the start of a name, for patterns of letters and single dots. Most entries that
// programs match as regular expressions are names, whose dots match any character.
class FixedPatterns {
 public:
  // Adds a pattern. `whole` is true if it must match the whole name. Returns false if it has other constructs.
  bool add(std::string_view pattern, bool whole, std::uint32_t entry);

  // Adds the entries that match a name to `out`. Returns false if the budget is exhausted.
  bool find(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const;

 private:
  // An entry whose pattern ends at a node.
  struct End {
    std::uint32_t node;
    std::uint32_t entry;
    bool whole;
    std::uint32_t next;  // index of the next end of the node; kNone: the last
  };

  static constexpr std::uint32_t kNone = EdgeTable::kNone;

  void add_ends(std::uint32_t node, bool at_end, std::vector<std::uint32_t>& out) const;

  EdgeTable edges_;
  std::vector<std::uint32_t> first_end_{kNone};  // by node
  std::vector<End> ends_;
};

}  // namespace sparsecfg::selectors
