#pragma once

#include <cstdint>
#include <span>

#include "timeline/run.h"

namespace sparsecfg::timeline {

// Computes the epochs of the steps from `first` on, one for each element of `out`. Equals Run::epoch_of(), but counts
// instead of dividing integers.
inline void epochs_from(const Run& run, std::uint64_t first, std::span<double> out) {
  std::uint64_t epoch = first / run.steps_per_epoch;
  std::uint64_t step = first % run.steps_per_epoch;
  for (double& each : out) {
    each = static_cast<double>(epoch) + static_cast<double>(step) / static_cast<double>(run.steps_per_epoch);
    if (++step == run.steps_per_epoch) {
      step = 0;
      ++epoch;
    }
  }
}

}  // namespace sparsecfg::timeline
