#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/recipe.h"
#include "timeline/optimizer.h"
#include "timeline/rates.h"
#include "timeline/trigger.h"

// The actors of a run, one class for each kind of schedule. Each knows the next step at which it
// acts (`due`) and does what is due there (`act`), which makes the next one known.
namespace sparsecfg::timeline {

// An event: what an action does at a step.
struct Event {
  enum class Kind : std::uint8_t { start, update, end, observers_off, batch_norm_frozen };
  std::size_t action = 0;  // index into the recipe's actions
  Kind kind = Kind::start;
  friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] std::string_view to_string(Event::Kind kind);

// The state: all values that are in force.
struct State {
  double epoch = 0;  // of the step that is evaluated
  Optimizer optimizer;
  std::vector<std::optional<double>> sparsities;  // by track
  std::vector<bool> ended;                        // by track: whether the last update was the end
  std::vector<std::optional<double>> bases;       // by ir::EpochScheduler::number: the rate that it starts from
};

// The sparsity that a curve applies at an epoch (reference/sparseml.md C.3, C.4 and B.9). Nothing
// where it depends on the weights.
[[nodiscard]] std::optional<double> sparsity_at(const ir::Prune& prune, double target, const ir::Cadence& cadence,
                                                double epoch);

// The same for many epochs; `out` has as many.
void sparsities_at(const ir::Prune& prune, double target, const ir::Cadence& cadence, std::span<const double> epochs,
                   std::span<std::optional<double>> out);

// One schedule of sparsity; several actions with the same one share it.
class SparsityStepper {
 public:
  SparsityStepper(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence, std::size_t track,
                  const Run& run);

  void share(std::size_t action) { actions_.push_back(action); }

  [[nodiscard]] std::size_t track() const { return track_; }

  [[nodiscard]] std::uint64_t next_step() const { return fire_.step; }

  // Leaves out updates before `step`, if there are many (Trigger::skipped).
  void skip_to(std::uint64_t step) { fire_ = firing_.skipped(fire_, step); }

  // The step before which it is updated at every step from next_step() on, to a value that depends on the epoch alone.
  [[nodiscard]] std::uint64_t steady_until() const { return firing_.steady_until(fire_); }

  // Passes over such updates to the one at `step`.
  void move_to(std::uint64_t step) { fire_ = firing_.moved_to(step); }

  // The values of such updates.
  void values_at(std::span<const double> epochs, std::span<std::optional<double>> out) const {
    sparsities_at(*prune_, target_->sparsity.value, *cadence_, epochs, out);
  }

  // Returns true if what is due after the last step is done too.
  [[nodiscard]] bool outlasts_steps() const { return cadence_->counted.has_value(); }

  void apply(State& state, std::vector<Event>& events);

 private:
  [[nodiscard]] std::optional<double> value(double epoch) const;
  [[nodiscard]] double within_bounds(double sparsity, const ir::Cadence& window, double progress) const;

  const ir::Prune* prune_;
  const ir::Target* target_;
  std::shared_ptr<const ir::Cadence> cadence_;  // at a fixed address: firing_ refers to it
  std::size_t track_;
  Trigger firing_;
  Tick fire_;
  std::vector<std::size_t> actions_;
};

// A learning rate that is a function of time, computed at every step of its window.
class RateStepper {
 public:
  RateStepper(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, std::size_t action, const Run& run);

  [[nodiscard]] std::uint64_t next_step() const { return fire_.step; }

  // The same as those of SparsityStepper.
  void skip_to(std::uint64_t step) { fire_ = firing_.skipped(fire_, step); }

  [[nodiscard]] std::uint64_t steady_until() const { return firing_.steady_until(fire_); }

  void move_to(std::uint64_t step) { fire_ = firing_.moved_to(step); }

  void values_at(std::span<const double> epochs, std::span<std::optional<double>> out) const {
    rates_at(*curve_, *cadence_, run_->steps_per_epoch, epochs, out);
  }

  // Returns true if it moves the rate of the first parameter group.
  [[nodiscard]] bool moves_first_group() const { return Optimizer::is_named(curve_->groups, 0); }

  void apply(State& state, std::vector<Event>& events);

 private:
  const ir::LearningRateCurve* curve_;
  const ir::Cadence* cadence_;
  std::size_t action_;
  const Run* run_;
  Trigger firing_;
  Tick fire_;
};

// One of torch's schedulers.
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

// One of torch's schedulers as Distiller steps it: at the end of an epoch, by the number of the
// next one, so that what it sets is in force from the first step of that on.
class EpochRateStepper {
 public:
  EpochRateStepper(const ir::EpochScheduler& scheduler, const ir::Cadence& cadence, std::size_t action, const Run& run);

  [[nodiscard]] std::uint64_t next_step() const { return next_step_; }

  // Leaves out the epochs before the last one that ends by `step`, but never the first.
  void skip_to(std::uint64_t step);

  void apply(State& state, std::vector<Event>& events);

 private:
  void build(State& state) const;
  void wait();

  const ir::EpochScheduler* scheduler_;
  std::size_t action_;
  const Run* run_;
  Epochs epochs_;
  std::uint64_t next_step_ = 0;
  bool started_ = false;
};

// Actions that do something at known steps and move no curve: values that are set once, and
// phases that begin and end.
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

using Actor = std::variant<SparsityStepper, RateStepper, StepStepper, PhaseStepper, EpochRateStepper>;

}  // namespace sparsecfg::timeline
