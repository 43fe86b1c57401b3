#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"

// What two recipes do besides what is followed step by step: actions that are compared as they are written.
namespace sparsecfg::diff {

using ir::Action;

// An action of each recipe that act on the same things, or one that the other recipe has nothing like.
struct Pair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
  std::vector<std::string> details;  // what differs: "`end_epoch`: 20.0 -> 30.0"
};

// The indices of the actions for which `test` is true, in document order.
[[nodiscard]] std::vector<std::size_t> actions_with(const ir::Recipe& recipe,
                                                    const std::function<bool(const Action&)>& test);

// The actions that differ, of those for which `compares` is true, in document order.
[[nodiscard]] std::vector<Pair> different_actions(const ir::Recipe& before, const ir::Recipe& after,
                                                  bool (*compares)(const Action&));

// The fields of two actions that differ, as far as both are of one class of one framework.
[[nodiscard]] std::vector<std::string> different_fields(const ir::Recipe& before, const Action& one,
                                                        const ir::Recipe& after, const Action& other);

// The fields that both actions give, with different values, where the two are the same as far as the schedule goes:
// what it does not model, such as the number of gradients that a pruner gathers.
[[nodiscard]] std::vector<std::string> unmodelled_fields(const Action& one, const Action& other);

// How two pruners choose what they remove, where they do it differently.
[[nodiscard]] std::vector<std::string> different_choices(const ir::Prune& before, const ir::Prune& after);

}  // namespace sparsecfg::diff
