#pragma once

#include <set>
#include <vector>

#include "base/budget.h"
#include "base/limits.h"
#include "script/value.h"

namespace sparsecfg::script {

// Visits a value, and each value that `visit` adds to its second argument, once, until `visit` returns true. Returns
// true then, and if there are too many values to visit all of them.
template <class Visit>
[[nodiscard]] bool any_reached(const Ref& value, base::Budget& budget, Visit visit) {
  std::vector<const Value*> waiting{value.get()};
  std::set<const Value*> seen;
  while (!waiting.empty()) {
    const Value* next = waiting.back();
    waiting.pop_back();
    if (next == nullptr || !seen.insert(next).second) continue;
    if (seen.size() > limits::kMaxScriptReached || !budget.spend() || visit(*next, waiting)) return true;
  }
  return false;
}

inline void add_parts(const std::vector<Ref>& parts, std::vector<const Value*>& waiting) {
  for (const Ref& part : parts) waiting.push_back(part.get());
}

}  // namespace sparsecfg::script
