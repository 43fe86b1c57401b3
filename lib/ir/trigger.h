#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/clock.h"
#include "ir/recipe.h"

namespace sparsecfg::ir {

// A time at which an action acts.
struct Tick {
  std::uint64_t step = kNever;
  bool starts = false;
  bool ends = false;
};

// The epochs of a schedule in whole epochs, ascending.
class Epochs {
 public:
  explicit Epochs(const Cadence& cadence);

  // Returns the next epoch, or kNever.
  [[nodiscard]] std::uint64_t next();
  [[nodiscard]] std::uint64_t peek() const;
  // Skips the epochs before the last one that is at or before `epoch`.
  void skip_to(std::uint64_t epoch);

 private:
  std::vector<std::uint64_t> listed_;  // descending: the remaining epochs
  std::uint64_t next_ = kNever;
  std::uint64_t end_ = 0;
  std::uint64_t every_ = 1;
};

// Iterates over the steps at which an action acts, by the rules of Cadence. Computes each step from the previous
// one, however far apart they are.
class Trigger {
 public:
  Trigger(const Cadence& cadence, std::uint64_t steps_per_epoch);

  // Returns the next time, or kNever.
  [[nodiscard]] Tick next();

  // Returns how many times of a counted schedule next() has returned.
  [[nodiscard]] std::uint64_t fired() const { return fired_; }

  // Returns the replacement of `tick`, the last result of next(), if updates before `step` are skipped: an update at
  // `step`, or the end if that is earlier. For counted or whole-epoch schedules it is the last update up to `step`.
  // Only frequent updates are moved; starts and ends never are.
  [[nodiscard]] Tick skipped(Tick tick, std::uint64_t step);

  // Returns the end of the range of steps that starts at `tick`, the last result of next(), in which every step has an
  // update that is neither start nor end. Returns the step of `tick` if it is not such an update.
  [[nodiscard]] std::uint64_t steady_until(const Tick& tick) const;

  // Returns the update at `step`, which must be before steady_until(), as if next() had been called for all steps up to
  // it.
  [[nodiscard]] Tick moved_to(std::uint64_t step);

 private:
  [[nodiscard]] Tick next_since_last();
  [[nodiscard]] Tick next_of_batches();
  [[nodiscard]] Tick next_of_epochs();
  [[nodiscard]] std::uint64_t step_within(std::uint64_t epoch) const;
  [[nodiscard]] Tick next_of_counted();
  [[nodiscard]] bool acts_at_every_step() const;

  std::uint64_t steps_per_epoch_;
  bool drifts_;                          // true if updates are timed from the last one
  std::optional<double> every_;          // interval of such updates in epochs; nullopt: none
  std::optional<StepSchedule> counted_;  // for a counted schedule
  bool skips_first_ = false;             // these two as in WholeEpochs
  std::uint64_t within_ = 0;
  std::uint64_t start_ = kNever;
  std::uint64_t end_ = kNever;
  std::uint64_t last_ = kNever;   // step of the last time; kNever before the first
  std::optional<Epochs> epochs_;  // for whole_epochs: the remaining epochs
  std::uint64_t fired_ = 0;       // number of times so far, for a counted schedule
};

}  // namespace sparsecfg::ir
