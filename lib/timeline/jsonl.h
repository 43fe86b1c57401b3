#pragma once

#include <cstdint>

#include "source/load.h"
#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

// Writes the run as JSON Lines: a header object (format 1) with the length of the run and the
// columns, then an object for each step at which something acts, with its events and all that is
// in force; with `every_step` one for each step. Groups of the optimizer are all there. False when
// `write` gave up.
bool write_jsonl(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last, bool every_step,
                 const source::Write& write);

}  // namespace sparsecfg::timeline
