#pragma once

#include <cstdint>

namespace sparsecfg::ir {

// Updates that are counted instead of dated: the first one comes after `first` optimizer steps, each
// further one `every` steps later, `times` in all. Update k, counted from 1, has gone k - lag of the
// `parts` parts of the way. In epochs, each of these steps is a whole epoch.
struct StepSchedule {
  std::uint64_t first = 0;
  std::uint64_t every = 1;
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
  std::uint64_t lag = 0;
  bool in_epochs = false;
  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;

  // The share of the way that update k has gone, as a start of 0 and an end of `parts` count it.
  [[nodiscard]] double reached(std::uint64_t update) const {
    return static_cast<double>(update) - static_cast<double>(lag);
  }
};

}  // namespace sparsecfg::ir
