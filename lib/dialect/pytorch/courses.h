#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dialect/pytorch/python_text.h"
#include "ir/recipe.h"

// Converts the curves of sparsities and rates to Python functions of time. They use the same operations in the same
// order as the timeline.
namespace sparsecfg::dialect::pytorch {

// Names of the runtime parts that a file needs; see runtime/.
using Parts = std::set<std::string, std::less<>>;

// A Python expression for a curve, or the reason why it can't be written.
struct Course {
  Text text{};
  std::string refused{};  // empty if it can be written
};

// Returns the sparsity that a pruner applies: a number, or a function of the epoch or of the number of updates. Curves
// with unknown start (`measured`) also receive the initial fraction of zeros of each parameter.
[[nodiscard]] Course sparsity_course(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence,
                                     Parts& parts);

// Returns a rate as a function of the epoch and the steps per epoch.
[[nodiscard]] Text rate_course(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, Parts& parts);

// Returns torch's cosine annealing with warm restarts as a function of the epoch.
[[nodiscard]] Text restarts(double epochs, double growth, double min, Parts& parts);

// Returns a scheduler's rate as a function of the group's base rate and the epoch.
[[nodiscard]] Course scheduler_course(const ir::EpochRateCurve& curve, Parts& parts);

// Returns the rate after construction of the scheduler as a function of the group's rate and its base rate. Returns
// nullopt if construction does not change the rate.
[[nodiscard]] std::optional<Text> built_rate(const ir::EpochRateCurve& curve, Parts& parts);

}  // namespace sparsecfg::dialect::pytorch
