#pragma once

#include <optional>
#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::distiller {

// The course of a scheduler of the learning rate. Nothing where an argument is no number.
[[nodiscard]] std::optional<ir::EpochRateCurve> course_of(const Component& scheduler);

// The schedule of all policies in the order in which they act: the building of the schedulers, the
// policies of the file but for those of the learning rate, and those. Components that no policy
// uses come last and do nothing.
[[nodiscard]] std::vector<ir::Action> lower(const Components& components, const std::vector<Policy>& policies,
                                            const Reading& reading);

}  // namespace sparsecfg::dialect::distiller
