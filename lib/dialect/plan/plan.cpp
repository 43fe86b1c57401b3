#include "dialect/plan/plan.h"

#include <algorithm>

#include "base/limits.h"
#include "dialect/dialect.h"

namespace sparsecfg::dialect {

Plan plan_of(const ir::Recipe& recipe) {
  const Dialect* from = find_dialect(recipe.dialect);
  return from == nullptr || from->plan == nullptr ? Plan() : from->plan(recipe);
}

const ActionPlan& Plan::of(std::size_t action) const {
  static const ActionPlan kNothing;
  return action < actions.size() ? actions[action] : kNothing;
}

// Update k reaches part k - lag, so the ramp begins at update lag.
std::optional<UpdateRamp> as_update_ramp(const ir::StepSchedule& counted) {
  if (counted.times == 0 || counted.times > limits::kMaxUpdatesOfPruner ||
      counted.times - counted.lag != counted.parts) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::int64_t>(counted.first) +
                     (static_cast<std::int64_t>(counted.lag) - 1) * static_cast<std::int64_t>(counted.every);
  if (counted.times == 1) {
    return UpdateRamp{counted.last(), counted.every, counted.last(), true};
  }
  return begin < 0 ? std::nullopt
                   : std::optional(UpdateRamp{static_cast<std::uint64_t>(begin), counted.every, counted.last(), false});
}

bool omits_weights(const ir::Prune& prune) {
  return std::ranges::any_of(prune.targets, [](const ir::Target& target) {
    const model::Selector& selector = target.selector;
    return selector.over == model::Selector::Over::modules && !selector.tensor.empty() &&
           selector.tensor.find("weight") == std::string::npos;
  });
}

}  // namespace sparsecfg::dialect
