#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/recipe.h"
#include "timeline/run.h"

namespace sparsecfg::timeline {

// One time at which an action acts.
struct Tick {
  std::uint64_t step = kNever;
  bool starts = false;
  bool ends = false;
};

// The epochs of a cadence of whole epochs, ascending.
class Epochs {
 public:
  explicit Epochs(const ir::Cadence& cadence);

  // The next epoch, kNever when there is none.
  [[nodiscard]] std::uint64_t next();
  [[nodiscard]] std::uint64_t peek() const;
  // Leaves out those before the last one that is not behind `epoch`.
  void skip_to(std::uint64_t epoch);

 private:
  std::vector<std::uint64_t> listed_;  // descending: those that are left
  std::uint64_t next_ = kNever;
  std::uint64_t end_ = 0;
  std::uint64_t every_ = 1;
};

// The steps at which an action acts, one after the other, by the rules of ir::Cadence. Finds each
// from the one before, however many steps lie between.
class Trigger {
 public:
  Trigger(const ir::Cadence& cadence, const Run& run);

  // The next time, kNever when there is none.
  [[nodiscard]] Tick next();

  // How many times of a counted cadence next() has given.
  [[nodiscard]] std::uint64_t fired() const { return fired_; }

  // Returns what comes in place of `tick`, the last one that next() gave, where updates before `step` are left out: an
  // update at `step`; where times are counted or come by epochs, the last one up to it; or the end if that comes first.
  // Only what is updated many times on the way there is moved; starts and ends never are.
  [[nodiscard]] Tick skipped(Tick tick, std::uint64_t step);

  // Returns the step before which every step has an update that is neither start nor end, beginning with `tick`, the
  // last one that next() gave: the step of `tick` itself if it is none.
  [[nodiscard]] std::uint64_t steady_until(const Tick& tick) const;

  // Returns the update at `step`, which is before steady_until(), as if next() had given all on the way.
  [[nodiscard]] Tick moved_to(std::uint64_t step);

 private:
  [[nodiscard]] Tick next_of_drifting();
  [[nodiscard]] Tick next_of_batches();
  [[nodiscard]] Tick next_of_epochs();
  [[nodiscard]] std::uint64_t step_within(std::uint64_t epoch) const;
  [[nodiscard]] Tick next_of_counted();
  [[nodiscard]] bool acts_at_every_step() const;

  const ir::Cadence* cadence_;
  const Run* run_;
  std::uint64_t start_ = kNever;
  std::uint64_t end_ = kNever;
  std::uint64_t last_ = kNever;   // the step of the last time; kNever before the first
  std::optional<Epochs> epochs_;  // for whole_epochs: those that are left
  std::uint64_t fired_ = 0;       // times so far, of a counted cadence
};

}  // namespace sparsecfg::timeline
