#include "timeline/steppers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/overloaded.h"
#include "ir/ramps.h"

namespace sparsecfg::timeline {

std::string_view to_string(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::start: return "start";
    case Event::Kind::update: return "update";
    case Event::Kind::end: return "end";
    case Event::Kind::observers_off: return "observers_off";
    case Event::Kind::batch_norm_frozen: return "batch_norm_frozen";
  }
  return {};
}

// An unknown start of a ramp matters until the ramp ends.
static void ramps_at(const ir::Ramp& ramp, double target, const ir::Cadence& cadence, std::span<const double> epochs,
                     std::span<std::optional<double>> out) {
  constexpr std::size_t kBlock = 256;
  const bool endless = cadence.end.value < 0;
  const auto progress_at = [start = cadence.start.value, length = cadence.end.value - cadence.start.value](
                               double epoch) { return (epoch - start) / length; };
  if (!ramp.from) {
    std::ranges::transform(epochs, out.begin(), [&](double epoch) {
      return !endless && progress_at(epoch) >= 1 ? std::optional(target) : std::nullopt;
    });
    return;
  }
  std::array<double, kBlock> progress;
  for (std::size_t first = 0; first < epochs.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, epochs.size() - first);
    std::ranges::transform(epochs.subspan(first, count), progress.begin(), progress_at);
    ir::interpolate_all(ramp.shape, std::span(progress).first(count), ramp.from->value, target,
                        out.subspan(first, count));
  }
}

// Even phases are dense, but the last window before the end is always sparse.
static double alternation_at(double target, const ir::Cadence& cadence, double epoch) {
  const double frequency = cadence.every ? cadence.every->value : 1;
  const double phase = std::floor((epoch - cadence.start.value) / frequency);
  const bool dense = std::fmod(phase, 2) == 0 && cadence.end.value - frequency > epoch;
  return dense ? 0.0 : target;
}

static std::optional<double> epoch_ramp_at(const ir::EpochCurve& ramp, double target, const ir::Cadence& cadence,
                                           double epoch) {
  const double start = cadence.start.value;
  const double passed = cadence.every ? ir::epochs_passed(start, cadence.end.value, cadence.every->value) : 0;
  return passed > 0 ? std::optional(ir::value_at(ramp, target, start, passed, std::floor(epoch))) : std::nullopt;
}

void sparsities_at(const ir::Prune& prune, double target, const ir::Cadence& cadence, std::span<const double> epochs,
                   std::span<std::optional<double>> out) {
  const auto each = [&](auto value_of) { std::ranges::transform(epochs, out.begin(), value_of); };
  std::visit(
      base::Overloaded{
          [&](const ir::Ramp& ramp) { ramps_at(ramp, target, cadence, epochs, out); },
          [&](const ir::Alternation&) { each([&](double epoch) { return alternation_at(target, cadence, epoch); }); },
          [&](const base::AnyOf<ir::ForwardBackward, ir::Constant> auto&) { std::ranges::fill(out, target); },
          [&](const ir::Distributed&) { std::ranges::fill(out, std::nullopt); },
          [&](const ir::PowerRamp& ramp) {
            each([&](double epoch) {
              return ir::value_at(ramp, target, cadence.start.value, cadence.end.value, epoch);
            });
          },
          [&](const base::AnyOf<ir::PiecewiseConstant, ir::Expression> auto& curve) {
            each([&](double epoch) { return ir::value_at(curve, epoch); });
          },
          [&](const ir::EpochCurve& ramp) {
            each([&](double epoch) { return epoch_ramp_at(ramp, target, cadence, epoch); });
          },
      },
      prune.curve);
}

std::optional<double> sparsity_at(const ir::Prune& prune, double target, const ir::Cadence& cadence, double epoch) {
  std::optional<double> sparsity;
  sparsities_at(prune, target, cadence, {&epoch, 1}, {&sparsity, 1});
  return sparsity;
}

// --- sparsity ---------------------------------------------------------------------------------

// Values that never change or are unknown need no updates.
static ir::Cadence effective(const ir::Prune& prune, double target, ir::Cadence cadence) {
  const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
  const bool flat = ramp != nullptr && ramp->from && ramp->from->value == target;
  const bool constant =
      std::holds_alternative<ir::ForwardBackward>(prune.curve) || std::holds_alternative<ir::Distributed>(prune.curve);
  if ((constant || flat) && cadence.kind == ir::Cadence::Kind::since_last_update) {
    cadence.every.reset();
  }
  return cadence;
}

SparsityStepper::SparsityStepper(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence,
                                 std::size_t track, const Run& run)
    : prune_(&prune),
      target_(&target),
      cadence_(std::make_shared<ir::Cadence>(effective(prune, target.sparsity.value, cadence))),
      track_(track),
      trigger_(*cadence_, run),
      tick_(trigger_.next()) {}

// A counted schedule progresses from update 0 to the last one instead of from epoch to epoch.
std::optional<double> SparsityStepper::value(double epoch) const {
  if (!cadence_->counted) {
    return sparsity_at(*prune_, target_->sparsity.value, *cadence_, epoch);
  }
  ir::Cadence window;
  window.start.value = 0;
  window.end.value = static_cast<double>(cadence_->counted->parts);
  const double progress = cadence_->counted->reached(trigger_.fired());
  const auto sparsity = sparsity_at(*prune_, target_->sparsity.value, window, progress);
  return sparsity ? std::optional(within_bounds(*sparsity, window, progress)) : std::nullopt;
}

// Bounds follow the curve like the target. Masks are clamped to sparsities from 0 to 1. If a globally ranked group
// would lose all its weights, each member loses only up to its bound. A member without a bound then loses nothing.
double SparsityStepper::within_bounds(double sparsity, const ir::Cadence& window, double progress) const {
  const auto bound = [&](const std::optional<ir::Located<double>>& value) {
    return value ? sparsity_at(*prune_, value->value, window, progress) : std::nullopt;
  };
  const auto min = bound(target_->min);
  const auto max = bound(target_->max);
  if (prune_->global && sparsity >= 1 && !max) {
    return 0;
  }
  sparsity = min && *min > sparsity ? *min : sparsity;
  sparsity = max && sparsity > *max ? *max : sparsity;
  return sparsity > 0 ? std::min(sparsity, 1.0) : 0;
}

void SparsityStepper::apply(State& state, std::vector<Event>& events) {
  state.sparsities[track_] = value(state.epoch);
  // An action that starts and ends at the same step has no end event.
  state.ended[track_] = tick_.ends && !tick_.starts;
  for (const std::size_t action : actions_) {
    events.push_back({action, tick_.starts ? Event::Kind::start : tick_.ends ? Event::Kind::end : Event::Kind::update});
  }
  tick_ = trigger_.next();
}

// --- learning rate ----------------------------------------------------------------------------

RateStepper::RateStepper(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, std::size_t action,
                         const Run& run)
    : curve_(&curve), cadence_(&cadence), action_(action), run_(&run), trigger_(cadence, run), tick_(trigger_.next()) {}

void RateStepper::apply(State& state, std::vector<Event>& events) {
  const auto rate = rate_at(*curve_, *cadence_, state.epoch, run_->steps_per_epoch);
  state.optimizer.each(curve_->groups, [&](Optimizer::Group& group) { group.rate = rate; });
  events.push_back({action_, tick_.starts ? Event::Kind::start : tick_.ends ? Event::Kind::end : Event::Kind::update});
  tick_ = trigger_.next();
}

StepStepper::StepStepper(const ir::TorchScheduler& scheduler, const ir::Cadence& cadence, std::size_t action,
                         const Run& run)
    : scheduler_(scheduler, cadence, run), action_(action), next_step_(scheduler_.start()) {}

void StepStepper::apply(State& state, std::vector<Event>& events) {
  scheduler_.apply(next_step_, state.optimizer);
  events.push_back({action_, next_step_ == scheduler_.start() ? Event::Kind::start
                             : next_step_ == scheduler_.end() ? Event::Kind::end
                                                              : Event::Kind::update});
  next_step_ = scheduler_.next(next_step_);
}

EpochRateStepper::EpochRateStepper(const ir::EpochScheduler& scheduler, const ir::Cadence& cadence, std::size_t action,
                                   const Run& run)
    : scheduler_(&scheduler), action_(action), run_(&run), epochs_(cadence) {
  if (!scheduler.builds) {
    wait();
  }
}

void EpochRateStepper::wait() {
  const std::uint64_t epoch = epochs_.peek();
  next_step_ = epoch == kNever ? kNever : (epoch + 1) * run_->steps_per_epoch;
}

void EpochRateStepper::skip_to(std::uint64_t step) {
  if (started_ && next_step_ < step) {
    epochs_.skip_to(step / run_->steps_per_epoch - 1);
    wait();
  }
}

void EpochRateStepper::build(State& state) const {
  const ir::EpochRateCurve& course = scheduler_->course;
  state.bases.resize(std::max(state.bases.size(), scheduler_->number + 1));
  if (std::holds_alternative<ir::Plateau>(course)) {
    return;
  }
  state.optimizer.each({}, [&](Optimizer::Group& group) {
    if (const auto rate = ir::rate_before_built(course)) {
      group.rate = rate;
    }
    const auto base = ir::base_when_built(course);
    if (base || !group.scheduled) {
      group.initial_rate = base ? base : group.rate;
      group.scheduled = true;
    }
    state.bases[scheduler_->number] = group.initial_rate;
    group.rate = ir::rate_when_built(course, group.rate, group.initial_rate);
  });
}

void EpochRateStepper::apply(State& state, std::vector<Event>& events) {
  if (scheduler_->builds) {
    build(state);
    next_step_ = kNever;
    return;
  }
  const auto next = static_cast<double>(epochs_.next() + 1);
  const auto rate = ir::rate_at(scheduler_->course, state.bases[scheduler_->number], next);
  state.optimizer.each({}, [&](Optimizer::Group& group) { group.rate = rate; });
  wait();
  events.push_back({action_, !started_              ? Event::Kind::start
                             : next_step_ == kNever ? Event::Kind::end
                                                    : Event::Kind::update});
  started_ = true;
}

// --- phases -----------------------------------------------------------------------------------

PhaseStepper::PhaseStepper(const ir::Action& action, std::size_t index, const Run& run)
    : action_(&action), index_(index) {
  ir::Cadence cadence = action.cadence;
  cadence.kind = cadence.counted ? cadence.kind : ir::Cadence::Kind::since_last_update;
  cadence.every.reset();
  Trigger firing(cadence, run);
  const Tick start = firing.next();
  add(start.step, Event::Kind::start);
  if (const auto* quantize = std::get_if<ir::Quantize>(&action.effect); quantize != nullptr && start.step != kNever) {
    const auto freeze = [&](const std::optional<ir::Located<double>>& epoch, Event::Kind kind) {
      if (epoch) add(std::max(start.step, run.first_step_at(epoch->value)), kind);
    };
    freeze(quantize->observers_off, Event::Kind::observers_off);
    freeze(quantize->batch_norm_frozen, Event::Kind::batch_norm_frozen);
  }
  if (!cadence.counted) {
    add(start.ends ? start.step : firing.next().step, Event::Kind::end);
  }
  std::ranges::stable_sort(steps_, {}, &std::pair<std::uint64_t, Event::Kind>::first);
}

void PhaseStepper::add(std::uint64_t step, Event::Kind kind) {
  if (step != kNever) {
    steps_.emplace_back(step, kind);
  }
}

void PhaseStepper::set(State& state) const {
  if (const auto* rate = std::get_if<ir::SetLearningRate>(&action_->effect)) {
    state.optimizer.each(rate->groups, [&](Optimizer::Group& group) { group.rate = rate->rate.value; });
  } else if (const auto* decay = std::get_if<ir::SetWeightDecay>(&action_->effect)) {
    state.optimizer.each(decay->groups, [&](Optimizer::Group& group) { group.weight_decay = decay->decay.value; });
  }
}

void PhaseStepper::apply(State& state, std::vector<Event>& events) {
  const auto [step, kind] = steps_[at_++];
  if (kind == Event::Kind::start) {
    set(state);
  }
  events.push_back({index_, kind});
}

}  // namespace sparsecfg::timeline
