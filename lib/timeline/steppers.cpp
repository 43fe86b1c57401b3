#include "timeline/steppers.h"

#include <algorithm>
#include <cmath>

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

// --- sparsity ---------------------------------------------------------------------------------

// Values that never change or are unknown need no updates.
static ir::Cadence effective(const ir::Prune& prune, double target, ir::Cadence cadence) {
  const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
  const bool flat = ramp != nullptr && ramp->from && ramp->from->value == target;
  const bool constant =
      std::holds_alternative<ir::ForwardBackward>(prune.curve) || std::holds_alternative<ir::Distributed>(prune.curve);
  if ((constant || flat) && cadence.is<ir::SinceLastUpdate>()) {
    return cadence.as_phase();
  }
  return cadence;
}

SparsityStepper::SparsityStepper(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence,
                                 std::size_t track, const Run& run)
    : prune_(&prune),
      target_(&target),
      cadence_(std::make_shared<ir::Cadence>(effective(prune, target.sparsity.value, cadence))),
      track_(track),
      trigger_(*cadence_, run.steps_per_epoch),
      tick_(trigger_.next()) {}

std::optional<double> SparsityStepper::value(double epoch) const {
  if (cadence_->counted() == nullptr) {
    return ir::sparsity_at(prune_->curve, target_->sparsity.value, *cadence_, epoch);
  }
  const auto sparsity = at_update(target_->sparsity.value);
  return sparsity ? std::optional(within_bounds(*sparsity)) : std::nullopt;
}

std::optional<double> SparsityStepper::at_update(double target) const {
  return ir::sparsity_at_update(prune_->curve, target, *cadence_->counted(), trigger_.fired());
}

// Bounds follow the curve like the target. Masks are clamped to sparsities from 0 to 1. If a globally ranked group
// would lose all its weights, each member loses only up to its bound. A member without a bound then loses nothing.
double SparsityStepper::within_bounds(double sparsity) const {
  const auto min = target_->min ? at_update(target_->min->value) : std::nullopt;
  const auto max = target_->max ? at_update(target_->max->value) : std::nullopt;
  if (prune_->global && sparsity >= 1 && !max) {
    return 0;
  }
  sparsity = std::max(sparsity, min.value_or(sparsity));
  sparsity = std::min(sparsity, max.value_or(sparsity));
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
    : curve_(&curve),
      cadence_(&cadence),
      action_(action),
      run_(&run),
      trigger_(cadence, run.steps_per_epoch),
      tick_(trigger_.next()) {}

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
  for (const auto& epoch : cadence.listed()) {
    if (scheduler.chains && epoch.value >= 0) listed_.insert(epoch.value);
  }
  if (!scheduler.builds) {
    wait();
  }
}

void EpochRateStepper::wait() {
  const std::uint64_t epoch = epochs_.peek();
  next_step_ = epoch == kNever ? kNever : (epoch + 1) * run_->steps_per_epoch;
}

void EpochRateStepper::skip_to(std::uint64_t step) {
  if (started_ && next_step_ < step && !scheduler_->chains) {
    epochs_.skip_to(step / run_->steps_per_epoch - 1);
    wait();
  }
}

void EpochRateStepper::build(State& state) const {
  const ir::EpochRateCurve& course = scheduler_->course;
  state.bases.resize(std::max(state.bases.size(), scheduler_->number + 1));
  state.counts.resize(state.bases.size());
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

void EpochRateStepper::set_rate(State& state, double epoch) const {
  const auto base = state.bases[scheduler_->number];
  const double count = scheduler_->chains ? ++state.counts[scheduler_->number] : 0;
  state.optimizer.each({}, [&](Optimizer::Group& group) {
    group.rate = scheduler_->chains ? ir::rate_after(scheduler_->course, group.rate, base, count)
                                    : ir::rate_at(scheduler_->course, base, epoch);
  });
}

void EpochRateStepper::apply(State& state, std::vector<Event>& events) {
  if (scheduler_->builds) {
    build(state);
    next_step_ = kNever;
    return;
  }
  const auto epoch = static_cast<double>(epochs_.next());
  for (std::size_t left = std::max<std::size_t>(listed_.count(epoch), 1); left > 0; --left) set_rate(state, epoch + 1);
  wait();
  events.push_back({action_, !started_              ? Event::Kind::start
                             : next_step_ == kNever ? Event::Kind::end
                                                    : Event::Kind::update});
  started_ = true;
}

// --- phases -----------------------------------------------------------------------------------

PhaseStepper::PhaseStepper(const ir::Action& action, std::size_t index, const Run& run)
    : action_(&action), index_(index) {
  ir::Trigger trigger(action.cadence.as_phase(), run.steps_per_epoch);
  const ir::Tick start = trigger.next();
  add(start.step, Event::Kind::start);
  if (const auto* quantize = std::get_if<ir::Quantize>(&action.effect); quantize != nullptr && start.step != kNever) {
    const auto freeze = [&](const std::optional<ir::Located<double>>& epoch, Event::Kind kind) {
      if (epoch) add(std::max(start.step, run.first_step_at(epoch->value)), kind);
    };
    freeze(quantize->observers_off, Event::Kind::observers_off);
    freeze(quantize->batch_norm_frozen, Event::Kind::batch_norm_frozen);
  }
  if (action.cadence.counted() == nullptr) {
    add(start.ends ? start.step : trigger.next().step, Event::Kind::end);
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
