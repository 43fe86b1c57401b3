#pragma once

#include "ir/recipe.h"
#include "timeline/run.h"

namespace sparsecfg::timeline {

// Returns true if the trainer's rate is unknown and every rate of the run is a multiple of it. The rates of a run with
// the trainer's rate 1 are then the factors.
[[nodiscard]] bool rates_are_factors(const ir::Recipe& recipe, const Run& run);

// A run for displaying rates: uses a trainer's rate of 1 if its rates are factors.
struct RatedRun {
  RatedRun(const ir::Recipe& recipe, const Run& asked) : run(asked), factors(rates_are_factors(recipe, asked)) {
    if (factors) run.initial_rate = 1;
  }

  Run run;
  bool factors;
};

}  // namespace sparsecfg::timeline
