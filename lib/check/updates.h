#pragma once

#include <vector>

#include "check/check.h"

namespace sparsecfg::check {

// The epochs of an action's updates, its start among them, that the run reaches: at most the first `count`. A run of
// unknown length reaches all of them; where the steps of an epoch are unknown, an epoch has very many.
[[nodiscard]] std::vector<double> first_updates(const Context& context, const ir::Action& action, std::size_t count);

}  // namespace sparsecfg::check
