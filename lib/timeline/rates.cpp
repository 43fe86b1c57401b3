#include "timeline/rates.h"

#include "base/number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sparsecfg::timeline {

bool Optimizer::contains(const ir::ParameterGroups& named, std::size_t index) {
  return std::ranges::find(named, static_cast<std::int64_t>(index)) != named.end();
}

static double linear(double from, double to, double progress) { return from + progress * (to - from); }

static double cosine(double from, double to, double progress) {
  constexpr double kPi = std::numbers::pi;
  return to < from ? (from - to) / 2 * (std::cos(kPi * progress) + 1) + to
                   : (to - from) / 2 * (std::cos(kPi * progress + kPi) + 1) + from;
}

// The rest of the window after the last whole cycle is a shorter cycle.
static std::optional<double> cyclic(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, double epoch,
                                    double steps_per_epoch) {
  double cycle = curve.cycle_epochs.value * steps_per_epoch;
  const double total = cadence.end_or(-1) * steps_per_epoch - cadence.start.value * steps_per_epoch;
  const double step = (epoch - cadence.start.value) * steps_per_epoch;
  if (cycle != 0 && step > std::trunc(total / cycle) * cycle) {
    cycle = base::python_modulo(total, cycle);
  }
  if (cycle == 0 || cycle == 1) {
    return std::nullopt;
  }
  return curve.from.value - base::python_modulo(step, cycle) / (cycle - 1) * (curve.from.value - curve.to.value);
}

void rates_at(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, std::uint64_t steps_per_epoch,
              std::span<const double> epochs, std::span<std::optional<double>> out) {
  using Kind = ir::LearningRateCurve::Kind;
  const double from = curve.from.value;
  const double to = curve.to.value;
  const double start = std::max(cadence.start.value, 0.0);
  const double length = cadence.end_or(-1) - start;  // SparseML computes with -1 for no end
  const auto rate_of = [&](double epoch) -> std::optional<double> {
    switch (curve.kind) {
      case Kind::linear: return linear(from, to, (epoch - start) / length);
      case Kind::cosine: return cosine(from, to, (epoch - start) / length);
      case Kind::cyclic_linear: return cyclic(curve, cadence, epoch, static_cast<double>(steps_per_epoch));
    }
    return std::nullopt;
  };
  std::ranges::transform(epochs, out.begin(), rate_of);
}

std::optional<double> rate_at(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, double epoch,
                              std::uint64_t steps_per_epoch) {
  std::optional<double> rate;
  rates_at(curve, cadence, steps_per_epoch, {&epoch, 1}, {&rate, 1});
  return rate;
}

// Python's round(): half to even; 0 for nan.
static std::uint64_t round_steps(double steps) {
  return steps > 0 ? static_cast<std::uint64_t>(std::min(std::nearbyint(steps), 1e18)) : 0;
}

SchedulerStepper::SchedulerStepper(const ir::TorchScheduler& scheduler, const ir::Cadence& cadence, const Run& run)
    : scheduler_(&scheduler), cadence_(&cadence), run_(&run) {
  ir::Trigger trigger(cadence.as_phase(), run.steps_per_epoch);
  const ir::Tick first = trigger.next();
  start_ = first.step;
  end_ = first.ends ? start_ : trigger.next().step;
  // The scheduler is not stepped at epoch 0, nor at the exact end.
  const std::uint64_t candidate = start_ == 0 ? 1 : start_;
  const bool at_exact_end = candidate <= end_ && is_exact_end(candidate);
  built_ = start_ == kNever || candidate > end_ ? kNever : !at_exact_end ? candidate : candidate < end_ ? end_ : kNever;
  held_ = end_ != kNever && end_ > 0 && end_ - 1 > built_ && is_exact_end(end_ - 1) ? end_ - 1 : kNever;
  const auto steps_per_epoch = static_cast<double>(run.steps_per_epoch);
  // A negative size has the same multiples.
  period_ = round_steps(std::abs(scheduler.step_size.value) * steps_per_epoch);
  for (const auto& milestone : scheduler.milestones) {
    milestones_.push_back(round_steps((milestone.value - cadence.start.value) * steps_per_epoch));
  }
  std::ranges::sort(milestones_);
}

// The scheduler is not stepped at the exact end, which SparseML compares with a tolerance.
bool SchedulerStepper::is_exact_end(std::uint64_t step) const {
  return cadence_->ends() &&
         std::abs(cadence_->end.value - run_->epoch_of(step)) <= std::numeric_limits<double>::epsilon();
}

// Returns the last step at which the scheduler is stepped: before the end, or at the end if it lies between steps and
// rounds up.
std::uint64_t SchedulerStepper::stepped_until() const {
  if (end_ == kNever) {
    return kNever;
  }
  if (is_exact_end(end_)) {
    return end_ - 1;
  }
  const bool steps_at_end = round_steps(cadence_->end.value * static_cast<double>(run_->steps_per_epoch)) >= end_;
  return scheduler_->kind == ir::TorchScheduler::Kind::cosine_warm_restarts || steps_at_end ? end_ : end_ - 1;
}

std::uint64_t SchedulerStepper::next_decay(std::uint64_t after) const {
  using Kind = ir::TorchScheduler::Kind;
  if (scheduler_->kind == Kind::cosine_warm_restarts) {
    return std::max(after + 1, built_);
  }
  const std::uint64_t passed = after - start_;
  if (scheduler_->kind == Kind::step) {
    return period_ == 0 ? kNever : start_ + (passed / period_ + 1) * period_;
  }
  const auto milestone = std::ranges::upper_bound(milestones_, passed);
  return milestone == milestones_.end() ? kNever : start_ + *milestone;
}

std::uint64_t SchedulerStepper::next(std::uint64_t after) const {
  const std::uint64_t end = end_ > after ? end_ : kNever;
  if (built_ == kNever || after < built_) {
    return std::min(built_, end);
  }
  const std::uint64_t decay = next_decay(after);
  return std::min(decay <= stepped_until() ? decay : kNever, end);
}

// Returns how many times gamma is applied at a step. The held step is made up for at the end.
int SchedulerStepper::decays_at(std::uint64_t step) const {
  if (step == held_) return 0;
  return steps_of_decay(held_ != kNever && step == end_ ? held_ : step);
}

// Returns how many times gamma is applied for a step. A milestone of zero steps counts when torch builds the scheduler,
// which is one step late at epoch 0. Past its end the scheduler may still be built, but is not stepped.
int SchedulerStepper::steps_of_decay(std::uint64_t step) const {
  const std::uint64_t passed = step - start_;
  const bool stepped = step <= stepped_until();
  if (scheduler_->kind == ir::TorchScheduler::Kind::step) {
    return stepped && passed > 0 && period_ > 0 && passed % period_ == 0 ? 1 : 0;
  }
  const auto count_at = [&](std::uint64_t steps) {
    const auto [first, last] = std::equal_range(milestones_.begin(), milestones_.end(), steps);
    return last - first;
  };
  std::ptrdiff_t count = stepped ? count_at(passed) : 0;
  if (step == built_ && (passed > 0 || !stepped)) {
    count += count_at(0);
  }
  return static_cast<int>(count);
}

double SchedulerStepper::cosine(double base, double epoch) const {
  const double first = scheduler_->cycle_epochs;
  const double growth = scheduler_->cycle_growth;
  double cycle = first;
  double passed = epoch;
  if (epoch >= first && growth == 1) {
    passed = base::python_modulo(epoch, first);
  } else if (epoch >= first) {
    const double number = std::trunc(std::log(epoch / first * (growth - 1) + 1) / std::log(growth));
    passed = epoch - first * (std::pow(growth, number) - 1) / (growth - 1);
    cycle = first * std::pow(growth, number);
  }
  return scheduler_->min_rate + (base - scheduler_->min_rate) * (1 + std::cos(std::numbers::pi * passed / cycle)) / 2;
}

void SchedulerStepper::build(Optimizer& optimizer) {
  optimizer.each({}, [](Optimizer::Group& group) {
    if (!group.scheduled) {
      group.initial_rate = group.rate;
      group.scheduled = true;
    }
  });
}

void SchedulerStepper::apply(std::uint64_t step, Optimizer& optimizer) {
  if (step <= built_ && scheduler_->initial_rate) {
    optimizer.each({}, [&](Optimizer::Group& group) { group.rate = scheduler_->initial_rate->value; });
  }
  if (built_ == kNever || step < built_) {
    return;
  }
  if (step == built_) {
    build(optimizer);
  }
  if (scheduler_->kind == ir::TorchScheduler::Kind::cosine_warm_restarts) {
    if (step > stepped_until() || is_exact_end(step)) {
      return;
    }
    const double epoch = cadence_->start.value >= 0 ? run_->epoch_of(step) - cadence_->start.value : 0.0;
    optimizer.each({}, [&](Optimizer::Group& group) {
      group.rate = group.initial_rate ? std::optional(cosine(*group.initial_rate, epoch)) : std::nullopt;
    });
  } else if (const int decays = decays_at(step); decays > 0) {
    const double factor = std::pow(scheduler_->gamma, decays);
    optimizer.each({}, [&](Optimizer::Group& group) {
      if (group.rate) *group.rate *= factor;
    });
  }
}

}  // namespace sparsecfg::timeline
