#include <fmt/core.h>

#include <algorithm>

#include "convert/parts.h"

namespace sparsecfg::convert {

using ir::Action;

static std::vector<const Action*> in_document_order(const ir::Recipe& recipe, const std::vector<bool>& dropped) {
  std::vector<const Action*> actions;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (!dropped[at]) actions.push_back(&recipe.actions[at]);
  }
  std::ranges::stable_sort(actions, {}, [](const Action* action) { return action->origin.ordinal; });
  return actions;
}

static bool is_equal_action(const Action& before, const Action& after) {
  const bool nan = before.effect != ir::Effect(before.effect);  // NaN differs even from itself
  return (nan || before.effect == after.effect) && before.cadence == after.cadence;
}

std::optional<std::string> first_difference(const ir::Recipe& recipe,
                                            const std::vector<dialect::ActionStatus>& statuses,
                                            const ir::Recipe& back) {
  std::vector<bool> dropped(recipe.actions.size(), false);
  for (const dialect::ActionStatus& status : statuses) {
    dropped[status.action] = status.kind == dialect::ActionStatus::Kind::dropped;
  }
  const auto before = in_document_order(recipe, dropped);
  const auto after = in_document_order(back, std::vector<bool>(back.actions.size(), false));
  if (before.size() != after.size()) {
    return fmt::format("{} actions became {}", before.size(), after.size());
  }
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (!is_equal_action(*before[at], *after[at])) return before[at]->origin.class_name;
  }
  return std::nullopt;
}

}  // namespace sparsecfg::convert
