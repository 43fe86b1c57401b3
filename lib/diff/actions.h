#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"

// Compares the written fields of actions of two recipes, for effects that are not evaluated step by step.
namespace sparsecfg::diff {

using ir::Action;

// Two corresponding actions, or one action without a counterpart in the other recipe.
struct Pair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
  std::vector<std::string> details;  // differences: "`end_epoch`: 20.0 -> 30.0"
  bool comparable = true;            // false: actions of two frameworks, whose effects are not known
};

// Returns the indices of the actions for which `test` is true, in document order.
[[nodiscard]] std::vector<std::size_t> actions_with(const ir::Recipe& recipe,
                                                    const std::function<bool(const Action&)>& test);

// Returns the differences among the actions for which `compares` is true, in document order.
[[nodiscard]] std::vector<Pair> different_actions(const ir::Recipe& before, const ir::Recipe& after,
                                                  const std::function<bool(const Action&)>& compares);

// Returns the different fields of two actions. Empty unless both have the same class and dialect.
[[nodiscard]] std::vector<std::string> different_fields(const ir::Recipe& before, const Action& one,
                                                        const ir::Recipe& after, const Action& other);

// Returns the fields of two actions of one class that have different values, or that only one of them has. A number may
// be written as a string.
[[nodiscard]] std::vector<std::string> changed_fields(const Action& one, const Action& other);

// Returns the change of a setting, either of which may be null: "`max_steps`: 3 -> 2". Empty if the values are equal.
[[nodiscard]] std::string setting_change(std::string_view name, const source::Value* before,
                                         const source::Value* after);

// Returns true if two actions act at the same times. Start epochs -1 and 0 both mean the first step.
[[nodiscard]] bool is_same_time(const ir::Cadence& one, const ir::Cadence& other);

// Returns the fields with different values of two actions whose schedules are equal. These are fields that the schedule
// does not model, such as the number of gradients that a pruner collects.
[[nodiscard]] std::vector<std::string> unmodelled_fields(const Action& one, const Action& other);

// Returns differences in how two pruners choose the weights to remove.
[[nodiscard]] std::vector<std::string> different_choices(const ir::Prune& before, const ir::Prune& after);

}  // namespace sparsecfg::diff
