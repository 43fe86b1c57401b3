#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "timeline/run.h"
#include "timeline/steppers.h"

// Evaluates the values of every step, using only the IR. The evaluator jumps from one step with a change to the next,
// so its time depends on the number of changes, not steps, and its memory on the number of actions.
namespace sparsecfg::timeline {

// A series of sparsities: of an action or one of its targets.
struct Column {
  std::size_t action = 0;  // index into the recipe's actions
  std::size_t target = 0;
  std::string label;      // "GMPruningModifier#2", "GMPruningModifier#2[0.8]"
  std::size_t track = 0;  // index of its value; columns with the same schedule share a track
  std::string unknown;    // why values are missing for all or part of the run; may be empty
};

// Values that change at every step of a part of the run.
struct Series {
  std::size_t stepper = 0;
  std::optional<std::size_t> track;  // nullopt: the learning rate of the first parameter group
};

// Limit for code that follows a run to its end without writing output: a second of work or less. A run may have too
// many changes to follow them all.
inline constexpr std::uint64_t kMaxWork = 20'000'000;

// The remaining work for following one or several runs.
class WorkLimit {
 public:
  // Several events cost as much as examining one part of the schedule.
  [[nodiscard]] static std::uint64_t work_of(std::size_t events) { return events / 8; }

  // `per_change`: work of each change, excluding its events.
  explicit WorkLimit(std::uint64_t per_change) : per_change_(per_change) {}

  // Subtracts the work of a change, which has about as many events as the previous one. Returns false if too little is
  // left, so the change must not be followed.
  [[nodiscard]] bool take(std::size_t events) {
    const std::uint64_t work = per_change_ + work_of(events);
    const bool enough = work <= left_;
    left_ -= enough ? work : left_;
    return enough;
  }

 private:
  std::uint64_t per_change_;
  std::uint64_t left_ = kMaxWork;
};

class Evaluator {
 public:
  // Both must outlive the evaluator.
  Evaluator(const ir::Recipe& recipe, const Run& run);

  [[nodiscard]] const Run& run() const { return run_; }

  // In document order.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  [[nodiscard]] std::size_t tracks() const { return state_.sparsities.size(); }

  // Returns the next step at which an action acts, or kNever.
  [[nodiscard]] std::uint64_t next_step() const { return next_; }

  // Returns the work of one change, in parts of the schedule examined.
  [[nodiscard]] std::uint64_t work_per_change() const { return steppers_.size() + tracks() + 1; }

  // Moves to next_step(). Before the first call, the state is the one that the training script set up.
  void advance();

  // Skips updates before `step` of actions that are updated many times before it, for callers that need only a sample.
  // Updated values depend only on the step, so the values at the remaining steps stay correct. Exception: alternating
  // phases shorter than the skipped range.
  void skip_to(std::uint64_t step);

  // Returns the end of the range from next_step() in which the same actions act at every step, each by an update that
  // depends only on the epoch. Returns next_step() if the range is empty.
  [[nodiscard]] std::uint64_t steady_until() const;

  // Returns the series that change at each of those steps.
  [[nodiscard]] std::vector<Series> steady_series() const;

  // Computes the values of such a series at the epochs of some of those steps; `out` has the same size. May be called
  // while another thread advances the evaluator.
  void values_of(const Series& series, std::span<const double> epochs, std::span<std::optional<double>> out) const;

  // Moves to `step`, one of those, skipping the steps in between.
  void move_to(std::uint64_t step);

  // Returns the current step.
  [[nodiscard]] std::uint64_t step() const { return step_; }

  // By track: the last target applied so far; nullopt before the first, or if it depends on the weights.
  [[nodiscard]] const std::vector<std::optional<double>>& sparsities() const { return state_.sparsities; }

  // Returns true if the mask of a column was removed at its end, so its last target is no longer enforced.
  [[nodiscard]] bool is_off(const Column& column) const;

  [[nodiscard]] const Optimizer& optimizer() const { return state_.optimizer; }

  // Returns the events at step(), in order.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  struct Track {
    const ir::SparsityCurve* curve;
    const ir::Cadence* cadence;
    ir::Target bounds;  // the target without its selector
    bool updates;
    std::size_t number;
    std::size_t stepper;
  };

  void add_action(std::size_t index);
  void add_prune(std::size_t index, const ir::Prune& prune);
  std::size_t track_of(std::size_t index, const ir::Prune& prune, const ir::Target& target);
  void wait_for(std::size_t stepper);

  const ir::Recipe& recipe_;
  const Run& run_;
  std::uint64_t steps_;
  std::vector<Column> columns_;
  std::map<std::string, std::vector<Track>> tracks_;  // by key_of()
  std::vector<Stepper> steppers_;                     // in the order in which they act within a step
  // The next step of each stepper. A linear scan is faster than a heap, because steppers are few and many often act
  // together.
  std::vector<std::uint64_t> next_step_;
  std::uint64_t next_ = kNever;
  std::uint64_t step_ = 0;
  State state_;
  std::vector<Event> events_;
};

}  // namespace sparsecfg::timeline
