#pragma once

#include <cstdint>

#include "source/load.h"
#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

// Writes every step of the run as CSV: a header `step,epoch,lr,<column>...`, then one row for each
// step and one more for the state when training has ended. An empty cell is a number that can't
// be given. Only steps from `first` to `last` (both included) are written. False when `write`
// gave up.
bool write_csv(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last,
               const source::Write& write);

}  // namespace sparsecfg::timeline
