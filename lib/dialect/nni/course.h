#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/sparsity.h"

namespace sparsecfg::dialect::nni {

// Sparsity ramp of NNI from 0: after `begin` + k * `every` steps, k of `times` increments are done. If `times` is 0,
// the sparsity is set at once.
struct RatioRamp {
  std::uint64_t begin = 0;
  std::uint64_t every = 1;
  std::uint64_t times = 0;
  bool cubic = true;
  bool exact = true;  // true if it reproduces the sparsities of the original updates

  [[nodiscard]] bool at_once() const { return times == 0; }

  [[nodiscard]] std::uint64_t last() const { return begin + every * times; }
};

// Returns the ramp to `target` that is nearest to the updates, with an interval of `every` steps. Returns nullopt if
// all updates set a sparsity of 0.
[[nodiscard]] std::optional<RatioRamp> fit_ramp(const std::vector<ir::Update>& updates, double target, bool cubic,
                                                std::uint64_t every);

// Returns the ramp for a pruner that starts when it is constructed, after `first` steps. A ramp that would begin later
// keeps its end.
[[nodiscard]] RatioRamp starting_at(const RatioRamp& course, std::uint64_t first);

}  // namespace sparsecfg::dialect::nni
