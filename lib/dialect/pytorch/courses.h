#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dialect/pytorch/python_text.h"
#include "ir/recipe.h"

// Courses of sparsities and rates as Python's functions of time, in the same operations in the same order as the
// timeline computes them.
namespace sparsecfg::dialect::pytorch {

// The parts of the runtime that a file needs, by their names in runtime/.
using Parts = std::set<std::string, std::less<>>;

// A course, or why Python is not given it.
struct Course {
  Text text{};
  std::string refused{};  // empty: it is written
};

// The sparsity that a pruner applies: a number, or a function of the epoch, or of the updates so far where those
// are counted. `measured` courses take the zeros of each parameter at the beginning too.
[[nodiscard]] Course sparsity_course(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence,
                                     Parts& parts);

// A rate as a function of the epoch, and of the steps per epoch.
[[nodiscard]] Text rate_course(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, Parts& parts);

// torch's cosine with warm restarts, by the epoch.
[[nodiscard]] Text restarts(double epochs, double growth, double min, Parts& parts);

// A scheduler's rate as a function of the group's base rate and the epoch.
[[nodiscard]] Course scheduler_course(const ir::EpochRateCurve& curve, Parts& parts);

// The rate that building the scheduler leaves behind, as a function of the group's rate and its base rate. Nothing
// where it leaves the rate as it is.
[[nodiscard]] std::optional<Text> built_rate(const ir::EpochRateCurve& curve, Parts& parts);

}  // namespace sparsecfg::dialect::pytorch
