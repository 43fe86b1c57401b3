#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/recipe.h"
#include "ir/sparsity.h"
#include "ir/trigger.h"
#include "timeline/optimizer.h"
#include "timeline/rates.h"

// The steppers of a run, one class per kind of schedule. Each knows the next step at which it acts (`next_step`) and
// applies the change (`apply`), which determines the next step.
namespace sparsecfg::timeline {

// An event: an action acts at a step.
struct Event {
  enum class Kind : std::uint8_t { start, update, end, observers_off, batch_norm_frozen };
  std::size_t action = 0;  // index into the recipe's actions
  Kind kind = Kind::start;
  friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] std::string_view to_string(Event::Kind kind);

// All values in effect.
struct State {
  double epoch = 0;  // of the current step
  Optimizer optimizer;
  std::vector<std::optional<double>> sparsities;  // by track
  std::vector<bool> ended;                        // by track: true if the last update was the end
  std::vector<std::optional<double>> bases;       // by ir::EpochScheduler::number: the rate that it starts from
  std::vector<double> counts;                     // by the same number: the steps that it has made
};

// One sparsity schedule; actions with the same schedule share it.
class SparsityStepper {
 public:
  SparsityStepper(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence, std::size_t track,
                  const Run& run);

  void share(std::size_t action) { actions_.push_back(action); }

  [[nodiscard]] std::size_t track() const { return track_; }

  [[nodiscard]] std::uint64_t next_step() const { return tick_.step; }

  // Skips updates before `step`, if there are many (Trigger::skipped).
  void skip_to(std::uint64_t step) { tick_ = trigger_.skipped(tick_, step); }

  // Returns the end of the range from next_step() that updates at every step to a value that depends only on the epoch.
  [[nodiscard]] std::uint64_t steady_until() const { return trigger_.steady_until(tick_); }

  // Skips such updates up to the one at `step`.
  void move_to(std::uint64_t step) { tick_ = trigger_.moved_to(step); }

  // Computes the values of such updates.
  void values_at(std::span<const double> epochs, std::span<std::optional<double>> out) const {
    ir::sparsities_at(prune_->curve, target_->sparsity.value, *cadence_, epochs, out);
  }

  // Returns true if it also acts when due after the last step.
  [[nodiscard]] bool outlasts_steps() const { return cadence_->counted() != nullptr; }

  void apply(State& state, std::vector<Event>& events);

 private:
  [[nodiscard]] std::optional<double> value(double epoch) const;
  [[nodiscard]] std::optional<double> at_update(double target) const;
  [[nodiscard]] double within_bounds(double sparsity) const;

  const ir::Prune* prune_;
  const ir::Target* target_;
  std::shared_ptr<const ir::Cadence> cadence_;  // at a fixed address: trigger_ refers to it
  std::size_t track_;
  ir::Trigger trigger_;
  ir::Tick tick_;
  std::vector<std::size_t> actions_;
};

// A learning rate that is a function of time, computed at every step of its window.
class RateStepper {
 public:
  RateStepper(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, std::size_t action, const Run& run);

  [[nodiscard]] std::uint64_t next_step() const { return tick_.step; }

  // Like the functions of SparsityStepper.
  void skip_to(std::uint64_t step) { tick_ = trigger_.skipped(tick_, step); }

  [[nodiscard]] std::uint64_t steady_until() const { return trigger_.steady_until(tick_); }

  void move_to(std::uint64_t step) { tick_ = trigger_.moved_to(step); }

  void values_at(std::span<const double> epochs, std::span<std::optional<double>> out) const {
    rates_at(*curve_, *cadence_, run_->steps_per_epoch, epochs, out);
  }

  // Returns true if it changes the rate of the first parameter group.
  [[nodiscard]] bool moves_first_group() const { return Optimizer::is_named(curve_->groups, 0); }

  void apply(State& state, std::vector<Event>& events);

 private:
  const ir::LearningRateCurve* curve_;
  const ir::Cadence* cadence_;
  std::size_t action_;
  const Run* run_;
  ir::Trigger trigger_;
  ir::Tick tick_;
};

// A torch scheduler as SparseML steps it.
class StepStepper {
 public:
  StepStepper(const ir::TorchScheduler& scheduler, const ir::Cadence& cadence, std::size_t action, const Run& run);

  [[nodiscard]] std::uint64_t next_step() const { return next_step_; }

  void apply(State& state, std::vector<Event>& events);

 private:
  SchedulerStepper scheduler_;
  std::size_t action_;
  std::uint64_t next_step_;
};

// A torch scheduler as Distiller steps it: at the end of an epoch, with the number of the next one. The new rate is
// therefore in effect from the first step of that next epoch.
class EpochRateStepper {
 public:
  EpochRateStepper(const ir::EpochScheduler& scheduler, const ir::Cadence& cadence, std::size_t action, const Run& run);

  [[nodiscard]] std::uint64_t next_step() const { return next_step_; }

  // Skips the epochs before the last one that ends by `step`, but never the first.
  void skip_to(std::uint64_t step);

  void apply(State& state, std::vector<Event>& events);

 private:
  void build(State& state) const;
  void set_rate(State& state, double epoch) const;
  void wait();

  const ir::EpochScheduler* scheduler_;
  std::size_t action_;
  const Run* run_;
  ir::Epochs epochs_;
  std::multiset<double> listed_;  // epochs of a scheduler that counts steps: it makes one for each item
  std::uint64_t next_step_ = 0;
  bool started_ = false;
};

// Actions that act at known steps without a curve: values that are set once, and phases that begin and end.
class PhaseStepper {
 public:
  PhaseStepper(const ir::Action& action, std::size_t index, const Run& run);

  [[nodiscard]] std::uint64_t next_step() const { return at_ < steps_.size() ? steps_[at_].first : kNever; }

  void apply(State& state, std::vector<Event>& events);

 private:
  void add(std::uint64_t step, Event::Kind kind);
  void set(State& state) const;

  const ir::Action* action_;
  std::size_t index_;
  std::vector<std::pair<std::uint64_t, Event::Kind>> steps_;  // ascending
  std::size_t at_ = 0;
};

using Stepper = std::variant<SparsityStepper, RateStepper, StepStepper, PhaseStepper, EpochRateStepper>;

}  // namespace sparsecfg::timeline
