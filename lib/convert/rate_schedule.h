#pragma once

#include "dialect/write.h"
#include "ir/recipe.h"
#include "timeline/run.h"

namespace sparsecfg::convert {

// The learning rates of the first parameter group over a run, one after the other.
[[nodiscard]] dialect::RateSchedule rate_course(const ir::Recipe& recipe, const timeline::Run& run);

}  // namespace sparsecfg::convert
