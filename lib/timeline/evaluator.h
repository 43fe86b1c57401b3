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

// The numbers of every step, from the IR alone. The evaluator jumps from one step at which
// something acts to the next, so its time follows the changes and not the steps, and its memory
// follows the actions.
namespace sparsecfg::timeline {

// A series of sparsities: one action, or one of its targets.
struct Column {
  std::size_t action = 0;  // index into the recipe's actions
  std::size_t target = 0;
  std::string label;      // "GMPruningModifier#2", "GMPruningModifier#2[0.8]"
  std::size_t track = 0;  // where its value stands; columns with the same schedule share one
  std::string unknown;    // why there is no number, or not all along; may be empty
};

// Values that change at every step of a part of the run.
struct Series {
  std::size_t actor = 0;
  std::optional<std::size_t> track;  // nullopt: the learning rate of the first parameter group
};

// A run may have more changes than anybody waits for; what follows it to the end without writing anything stops at so
// much work: a second or less.
inline constexpr std::uint64_t kMaxWork = 20'000'000;

// The work that is left for following a run, or several of them side by side.
class WorkLimit {
 public:
  // Several events take as long as one look at a part of the schedule.
  [[nodiscard]] static std::uint64_t work_of(std::size_t events) { return events / 8; }

  // `per_change`: the work that each change takes, besides that for its events.
  explicit WorkLimit(std::uint64_t per_change) : per_change_(per_change) {}

  // Subtracts the work of a change, which has about as many events as the one before it. Returns false if too little is
  // left, so that the change is not to be followed.
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

  // The next step of the run at which something acts; kNever when none is left.
  [[nodiscard]] std::uint64_t next_step() const { return next_; }

  // The work that one change takes, in looks at a part of the schedule.
  [[nodiscard]] std::uint64_t work_per_change() const { return actors_.size() + tracks() + 1; }

  // Moves to next_step(). Before the first call the state is what the training script set up.
  void advance();

  // Leaves out updates before `step` of what is updated many times on the way there, for those who need no more than a
  // sample. What it is updated to depends on the step alone, so the values at the steps that are left stay what they
  // are, but for an alternation of phases shorter than the way.
  void skip_to(std::uint64_t step);

  // The step before which the same actions act at every step from next_step() on, each by an update to a value that
  // depends on the epoch alone; next_step() if there is none.
  [[nodiscard]] std::uint64_t steady_until() const;

  // What changes at each of those steps.
  [[nodiscard]] std::vector<Series> steady_series() const;

  // The values of such a series at the epochs of some of those steps, `out` has as many. May be asked while another
  // thread moves the evaluator on.
  void values_of(const Series& series, std::span<const double> epochs, std::span<std::optional<double>> out) const;

  // Moves to `step`, one of those, past the ones between.
  void move_to(std::uint64_t step);

  // The step moved to last.
  [[nodiscard]] std::uint64_t step() const { return step_; }

  // By track: the last target applied so far; nothing before the first, or where it depends on
  // the weights.
  [[nodiscard]] const std::vector<std::optional<double>>& sparsities() const { return state_.sparsities; }

  // Returns true if the mask of a column was taken off at its end: nothing holds its last target any more.
  [[nodiscard]] bool is_off(const Column& column) const;

  [[nodiscard]] const Optimizer& optimizer() const { return state_.optimizer; }

  // The events at step(), in order.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  struct Track {
    const ir::SparsityCurve* curve;
    const ir::Cadence* cadence;
    ir::Target bounds;  // the target without its selector
    bool updates;
    std::size_t number;
    std::size_t actor;
  };

  void add_action(std::size_t index);
  void add_prune(std::size_t index, const ir::Prune& prune);
  std::size_t track_of(std::size_t index, const ir::Prune& prune, const ir::Target& target);
  void wait_for(std::size_t actor);

  const ir::Recipe& recipe_;
  const Run& run_;
  std::uint64_t steps_;
  std::vector<Column> columns_;
  std::map<std::string, std::vector<Track>> tracks_;  // by key_of()
  std::vector<Actor> actors_;                         // in the order in which they act within a step
  // When each of them acts next. Looking through all of them costs less than a heap as long as
  // there are few, and many act together more often than not.
  std::vector<std::uint64_t> next_step_;
  std::uint64_t next_ = kNever;
  std::uint64_t step_ = 0;
  State state_;
  std::vector<Event> events_;
};

}  // namespace sparsecfg::timeline
