#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/recipe.h"

// The sparsities of a pruner over time.
namespace sparsecfg::ir {

// Returns the sparsity of a curve at an epoch (docs/semantics/sparseml.md#c3, #c4, #h4), or nullopt if it depends on
// the weights.
[[nodiscard]] std::optional<double> sparsity_at(const SparsityCurve& curve, double target, const Cadence& cadence,
                                                double epoch);

// Computes the sparsities at many epochs; `out` has the same size.
void sparsities_at(const SparsityCurve& curve, double target, const Cadence& cadence, std::span<const double> epochs,
                   std::span<std::optional<double>> out);

// Returns the sparsity after update `update` of a counted schedule, counted from 1. Such curves run over update
// indices.
[[nodiscard]] std::optional<double> sparsity_at_update(const SparsityCurve& curve, double target,
                                                       const StepSchedule& counted, std::uint64_t update);

// A sparsity and the number of steps after which it applies.
struct Update {
  std::uint64_t step = 0;
  double sparsity = 0;
};

// Computes all updates of a pruner. `left` is the remaining number of updates that may be evaluated; the updates of
// this pruner are subtracted. Returns nullopt if the schedule never ends, if it has more than a million updates or more
// than `left`, or if a value can't be computed.
[[nodiscard]] std::optional<std::vector<Update>> updates_of(const Cadence& cadence, const SparsityCurve& curve,
                                                            double target, std::uint64_t steps_per_epoch,
                                                            std::size_t& left);

}  // namespace sparsecfg::ir
