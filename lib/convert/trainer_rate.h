#pragma once

#include "ir/recipe.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// A rate that stands for that of the trainer while nobody says what it is.
inline constexpr double kStandInRate = 0.1;

// Whether the rates of the run are multiples of that of the trainer, which the run does not give.
[[nodiscard]] bool rates_follow_trainer(const ir::Recipe& recipe, timeline::Run run);

}  // namespace sparsecfg::convert
