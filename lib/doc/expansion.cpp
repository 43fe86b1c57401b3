#include "doc/expansion.h"

#include <algorithm>

namespace sparsecfg::doc {

LimitError Expansion::add(Cost cost) {
  nodes_ += cost.nodes;
  if (!levels_.empty()) {
    levels_.back().height = std::max(levels_.back().height, cost.height);
  }
  if (levels_.size() + cost.height > limits_.depth) {
    return LimitError::depth;
  }
  return nodes_ > limits_.nodes ? LimitError::nodes : LimitError::none;
}

LimitError Expansion::enter() {
  levels_.push_back({nodes_, 0});
  return add({1, 0});
}

Cost Expansion::leave() {
  const Level level = levels_.back();
  levels_.pop_back();
  const Cost cost{nodes_ - level.nodes_before, level.height + 1};
  if (!levels_.empty()) {
    levels_.back().height = std::max(levels_.back().height, cost.height);
  }
  return cost;
}

}  // namespace sparsecfg::doc
