#pragma once

#include <optional>
#include <vector>

#include "dialect/nni/config.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::nni {

// Returns a numeric argument, or 0.
[[nodiscard]] double argument_of(const ConstructorCall& part, std::string_view name);

// Returns the updates of a compressor, by its class and arguments (docs/semantics/nni.md#d2-1). Without a class, the
// schedule is empty.
[[nodiscard]] ir::StepSchedule counted_of(const Compressor& compressor);
[[nodiscard]] ir::SparsityCurve curve_of(const Compressor& compressor);

// Target ratios of a scheduled pruner with uneven updates, because the wrapped pruner has its own schedule or because
// `total_times` is not a whole number.
struct UnevenGoals {
  ir::StepSchedule schedule;   // one update per step
  std::vector<double> shares;  // fraction of the ratio for each update; may exceed 1
};

// Returns nullopt if updates are even, or if there are too many to list.
[[nodiscard]] std::optional<UnevenGoals> uneven_goals_of(const Compressor& compressor);
// Returns true if updates are uneven.
[[nodiscard]] bool is_uneven(const Compressor& compressor);

// Returns the step after which the first masks are made, or nullopt if masks are never made.
[[nodiscard]] std::optional<std::uint64_t> first_mask(const Compressor& compressor);

// Returns the step of the last change, or nullopt if the class sets no end.
[[nodiscard]] std::optional<double> last_step(const Compressor& compressor);

// Epoch-based schedule of a 1.x entry (docs/semantics/nni.md#c3-2).
struct EpochSchedule {
  ir::Cadence cadence;
  ir::SparsityCurve curve;
  double end = 0;  // the epoch of the last change
};

// Returns nullopt if the length of the ramp is 0, because NNI 1.x then fails.
[[nodiscard]] std::optional<EpochSchedule> epochs_of(const source::Map& fields);

// Returns the length of the run: from `compress`, else up to the last change of all schedules. If `steps_per_epoch` is
// 0 (unknown), only lengths in epochs are used. Returns nullopt if the length is unknown.
[[nodiscard]] std::optional<ir::TrainingLength> length_of(const Configuration& configuration, const ir::Recipe& recipe,
                                                          double steps_per_epoch);

}  // namespace sparsecfg::dialect::nni
