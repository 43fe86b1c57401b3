#pragma once

#include <optional>
#include <vector>

#include "dialect/nni/config.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::nni {

// When a compressor acts, by its class and arguments (reference 5). Nothing says so where there is no
// class; then it never does as far as is known.
[[nodiscard]] ir::StepSchedule counted_of(const Compressor& compressor);
[[nodiscard]] ir::SparsityCurve curve_of(const Compressor& compressor);

// The goals of a scheduled pruner whose updates don't come at even steps: because the pruner that it wraps
// has a schedule of its own, or because `total_times` is not a whole number.
struct UnevenGoals {
  ir::StepSchedule schedule;   // one update a step
  std::vector<double> shares;  // by update from 1: the share of the ratio, from 0 up
};

// Returns nullopt if updates are even, or if there are too many of them to be listed.
[[nodiscard]] std::optional<UnevenGoals> uneven_goals_of(const Compressor& compressor);
// Returns true if updates are uneven.
[[nodiscard]] bool is_uneven(const Compressor& compressor);

// The step after which the first masks are made; nullopt if there are none.
[[nodiscard]] std::optional<std::uint64_t> first_mask(const Compressor& compressor);

// The step after which nothing changes any more; nullopt if the class sets no end.
[[nodiscard]] std::optional<double> last_step(const Compressor& compressor);

// What an entry of 1.x does from epoch to epoch (reference 5.5).
struct EpochSchedule {
  ir::Cadence cadence;
  ir::SparsityCurve curve;
  double end = 0;  // the epoch of the last change
};

// Returns nullopt if the ramp has no length, which stops NNI 1.x.
[[nodiscard]] std::optional<EpochSchedule> epochs_of(const source::Map& fields);

// How long a run is: what `compress` says, or until none of the schedules changes anything. `steps_per_epoch` is 0
// where it is not known; then only epochs count. Returns nullopt if nothing says it.
[[nodiscard]] std::optional<ir::TrainingLength> length_of(const Configuration& configuration, const ir::Recipe& recipe,
                                                          double steps_per_epoch);

}  // namespace sparsecfg::dialect::nni
