#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/recipe.h"
#include "ir/trigger.h"
#include "timeline/optimizer.h"
#include "timeline/run.h"

namespace sparsecfg::timeline {

// Returns the learning rate of a time-based curve at an epoch (docs/semantics/sparseml.md#c5). It is not clamped, so a
// step past the end overshoots. Returns nullopt if Python would divide by zero.
[[nodiscard]] std::optional<double> rate_at(const ir::LearningRateCurve& curve, const ir::Cadence& cadence,
                                            double epoch, std::uint64_t steps_per_epoch);

// Computes the rates at many epochs; `out` has the same size.
void rates_at(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, std::uint64_t steps_per_epoch,
              std::span<const double> epochs, std::span<std::optional<double>> out);

// A torch scheduler as SparseML steps it: once per step since its start, resetting the rate to its `init_lr` until it
// is built (C.5). Yields only the steps at which it changes a rate.
class SchedulerStepper {
 public:
  SchedulerStepper(const ir::TorchScheduler& scheduler, const ir::Cadence& cadence, const Run& run);

  // Returns the next step at which it acts, after the given step.
  [[nodiscard]] std::uint64_t next(std::uint64_t after) const;
  void apply(std::uint64_t step, Optimizer& optimizer);

  [[nodiscard]] std::uint64_t start() const { return start_; }

  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  [[nodiscard]] std::uint64_t next_decay(std::uint64_t after) const;
  [[nodiscard]] int decays_at(std::uint64_t step) const;
  [[nodiscard]] int steps_of_decay(std::uint64_t step) const;
  [[nodiscard]] std::uint64_t stepped_until() const;
  [[nodiscard]] bool is_exact_end(std::uint64_t step) const;
  [[nodiscard]] double cosine(double base, double epoch) const;
  void build(Optimizer& optimizer);

  const ir::TorchScheduler* scheduler_;
  const ir::Cadence* cadence_;
  const Run* run_;
  std::uint64_t start_ = kNever;           // the first step of the modifier
  std::uint64_t built_ = kNever;           // the step at which the scheduler is built
  std::uint64_t end_ = kNever;             // the step of its end
  std::uint64_t held_ = kNever;            // a step before the end that counts as the exact end, so nothing is stepped
  std::vector<std::uint64_t> milestones_;  // in steps since the start, ascending, including repetitions
  std::uint64_t period_ = 0;               // steps between decays, for a scheduler of kind step
};

}  // namespace sparsecfg::timeline
