#pragma once

#include <optional>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// A rate that stands for that of the trainer while nobody says what it is.
inline constexpr double kStandInRate = 0.1;

// The rates of a run that does not give that of the trainer, with kStandInRate for it and with the part of each that
// does not follow it. Returns nullopt if no rate follows it, or if one is not a multiple of it plus a fixed part.
[[nodiscard]] std::optional<dialect::RateSchedule> rates_by_trainer(const ir::Recipe& recipe, timeline::Run run);

}  // namespace sparsecfg::convert
