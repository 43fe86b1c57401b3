#include "ir/epoch_rate_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/overloaded.h"

namespace sparsecfg::ir {

constexpr double kPi = std::numbers::pi;

static auto reached(const std::vector<double>& milestones, double epoch) {
  return std::ranges::upper_bound(milestones, epoch) - milestones.begin();
}

static double factors(const MilestoneFactors& course, double epoch) {
  double product = 1;
  const std::ptrdiff_t count = reached(course.milestones, epoch);
  for (std::ptrdiff_t at = 0; at < count; ++at) {
    product = course.gammas[static_cast<std::size_t>(at)] * product;
  }
  return product;
}

static double between(double min, double base, double share) {
  return min + (base - min) * (1 + std::cos(kPi * share)) / 2;
}

static double restarts(const CosineRestarts& course, double base, double epoch) {
  double passed = epoch;
  double cycle = course.epochs;
  if (epoch >= course.epochs && course.growth == 1) {
    passed = std::fmod(epoch, course.epochs);
  } else if (epoch >= course.epochs) {
    const double number =
        std::trunc(std::log(epoch / course.epochs * (course.growth - 1) + 1) / std::log(course.growth));
    passed = epoch - course.epochs * (std::pow(course.growth, number) - 1) / (course.growth - 1);
    cycle = course.epochs * std::pow(course.growth, number);
  }
  return between(course.min, base, passed / cycle);
}

static double factor(const FactorRamp& course, double epoch) {
  if (!course.linear) {
    return course.from + (epoch >= course.epochs ? 1 : 0) * (course.to - course.from);
  }
  return course.from + (course.to - course.from) * std::min(course.epochs, epoch) / course.epochs;
}

static double cyclic(const Cyclic& course, double epoch) {
  const double size = course.up + course.down;
  const double ratio = course.up / size;
  const double cycle = std::floor(1 + epoch / size);
  const double x = 1 + epoch / size - cycle;
  const double height = (course.max - course.min) * (x <= ratio ? x / ratio : (x - 1) / (ratio - 1));
  switch (course.mode) {
    case Cyclic::Mode::triangular: return course.min + height;
    case Cyclic::Mode::triangular2: return course.min + height * (1 / std::pow(2.0, cycle - 1));
    case Cyclic::Mode::exp_range: return course.min + height * std::pow(course.gamma, course.by_cycle ? cycle : epoch);
  }
  return course.min;
}

static double one_cycle(const OneCycle& course, double epoch) {
  struct Phase {
    double end;
    double from;
    double to;
  };

  const double first = course.max / course.first_divisor;
  const double last = first / course.last_divisor;
  const double top = course.pct_start * course.epochs - 1;
  std::vector<Phase> phases = {{top, first, course.max}};
  if (course.three_phases) {
    phases.push_back({2 * course.pct_start * course.epochs - 2, course.max, first});
    phases.push_back({course.epochs - 1, first, last});
  } else {
    phases.push_back({course.epochs - 1, course.max, last});
  }
  double start = 0;
  for (const Phase& phase : phases) {
    if (epoch <= phase.end || &phase == &phases.back()) {
      const double share = (epoch - start) / (phase.end - start);
      return course.cosine ? phase.to + (phase.from - phase.to) / 2 * (std::cos(kPi * share) + 1)
                           : (phase.to - phase.from) * share + phase.from;
    }
    start = phase.end;
  }
  return last;
}

std::optional<double> rate_at(const EpochRateCurve& course, std::optional<double> base, double epoch) {
  if (const auto* triangles = std::get_if<Cyclic>(&course)) {
    return cyclic(*triangles, epoch);
  }
  if (const auto* once = std::get_if<OneCycle>(&course)) {
    return fails_at(course, epoch) ? std::nullopt : std::optional(one_cycle(*once, epoch));
  }
  if (!base || fails_at(course, epoch) || std::holds_alternative<Plateau>(course)) {
    return std::nullopt;
  }
  const double rate = *base;
  return std::visit(
      base::Overloaded{
          [&](const StepDecay& decay) { return rate * std::pow(decay.gamma, std::floor(epoch / decay.epochs)); },
          [&](const MilestoneDecay& decay) {
            return rate * std::pow(decay.gamma, static_cast<double>(reached(decay.milestones, epoch)));
          },
          [&](const MilestoneFactors& decay) { return rate * factors(decay, epoch); },
          [&](const ExponentialDecay& decay) { return rate * std::pow(decay.gamma, epoch); },
          [&](const CosineAnnealing& cosine) { return between(cosine.min, rate, epoch / cosine.epochs); },
          [&](const CosineRestarts& cosine) { return restarts(cosine, rate, epoch); },
          [&](const PolynomialDecay& decay) { return rate * std::pow(1 - epoch / decay.epochs, decay.power); },
          [&](const FactorRamp& ramp) { return rate * factor(ramp, epoch); },
          [&](const base::AnyOf<Cyclic, OneCycle, Plateau> auto&) { return rate; },
      },
      course);
}

std::optional<double> rate_before_built(const EpochRateCurve& course) {
  const auto* triangles = std::get_if<Cyclic>(&course);
  return triangles != nullptr ? std::optional(triangles->min) : std::nullopt;
}

// At construction a scheduler that computes its rate from the previous one keeps the rate. A scheduler that computes
// the rate from the base rate sets it.
std::optional<double> rate_when_built(const EpochRateCurve& course, std::optional<double> rate,
                                      std::optional<double> base) {
  const auto times = [&](double by) { return rate ? std::optional(*rate * by) : std::nullopt; };
  return std::visit(
      base::Overloaded{
          [&](const MilestoneDecay& decay) {
            const auto at_once = std::ranges::count(decay.milestones, 0.0);
            return at_once > 0 ? times(std::pow(decay.gamma, static_cast<double>(at_once))) : rate;
          },
          [&](const FactorRamp& ramp) { return times(ramp.from); },
          [&](const Cyclic& triangles) {  // the scheduler's own minimum rate applies from the first step on
            Cyclic built = triangles;
            built.min = base.value_or(triangles.min);
            return base ? std::optional(cyclic(built, 0)) : base;
          },
          [&](const OneCycle&) { return rate_at(course, base, 0); },
          [&](const CosineRestarts&) { return rate_at(course, base, 0); },
          [&](const MilestoneFactors&) { return rate_at(course, base, 0); },
          [&](const PolynomialDecay&) { return rate_at(course, base, 0); },
          [&](const base::AnyOf<StepDecay, ExponentialDecay, CosineAnnealing, Plateau> auto&) { return rate; },
      },
      course);
}

std::optional<double> base_when_built(const EpochRateCurve& course) {
  const auto* once = std::get_if<OneCycle>(&course);
  return once != nullptr ? std::optional(once->max / once->first_divisor) : std::nullopt;
}

// The formula of each step starts from the rate of the step before, except for the steps that leave a minimum.
static double annealed(const CosineAnnealing& course, double rate, double base, double count) {
  if (std::fmod(count - 1 - course.epochs, 2 * course.epochs) == 0) {
    return rate + (base - course.min) * (1 - std::cos(kPi / course.epochs)) / 2;
  }
  return (1 + std::cos(kPi * count / course.epochs)) / (1 + std::cos(kPi * (count - 1) / course.epochs)) *
             (rate - course.min) +
         course.min;
}

static double ramped(const FactorRamp& course, double rate, double count) {
  if (!course.linear) {
    return count == course.epochs ? rate * (1 / course.from) : rate;
  }
  const double change = course.to - course.from;
  return count > course.epochs ? rate : rate * (1 + change / (course.epochs * course.from + (count - 1) * change));
}

// The cycles are counted step by step, without the logarithm of the closed form.
static double restarted(const CosineRestarts& course, double base, double count) {
  double passed = count;
  double cycle = course.epochs;
  while (cycle > 0 && passed >= cycle) {
    passed = course.growth == 1 ? std::fmod(passed, cycle) : passed - cycle;
    cycle *= course.growth;
  }
  return between(course.min, base, passed / cycle);
}

std::optional<double> rate_after(const EpochRateCurve& course, std::optional<double> rate, std::optional<double> base,
                                 double count) {
  if (fails_after(course, count)) {
    return std::nullopt;
  }
  const auto times = [&](double by) { return rate ? std::optional(*rate * by) : std::nullopt; };
  return std::visit(
      base::Overloaded{
          [&](const StepDecay& decay) { return std::fmod(count, decay.epochs) == 0 ? times(decay.gamma) : rate; },
          [&](const MilestoneDecay& decay) {
            const auto reached_now = std::ranges::count(decay.milestones, count);
            return reached_now > 0 ? times(std::pow(decay.gamma, static_cast<double>(reached_now))) : rate;
          },
          [&](const ExponentialDecay& decay) { return times(decay.gamma); },
          [&](const CosineAnnealing& cosine) {
            return rate && base ? std::optional(annealed(cosine, *rate, *base, count)) : std::nullopt;
          },
          [&](const FactorRamp& ramp) { return rate ? std::optional(ramped(ramp, *rate, count)) : std::nullopt; },
          [&](const CosineRestarts& cosine) {
            return base ? std::optional(restarted(cosine, *base, count)) : std::nullopt;
          },
          [&](const base::AnyOf<MilestoneFactors, PolynomialDecay, Cyclic, OneCycle, Plateau> auto&) {
            return rate_at(course, base, count);
          },
      },
      course);
}

// LinearLR divides by its first factor in its first step, ConstantLR in its last one.
bool fails_after(const EpochRateCurve& course, double count) {
  const auto* ramp = std::get_if<FactorRamp>(&course);
  if (ramp == nullptr) {
    return fails_at(course, count);
  }
  const double step = ramp->linear ? 1 : ramp->epochs;
  return ramp->from == 0 && ramp->epochs >= 1 && step == std::floor(step) && count >= step;
}

// OneCycleLR divides by both factors, and by the length of the rise, which is 0 if it ends in the first step.
static bool fails_when_built(const OneCycle& once) {
  return once.first_divisor == 0 || once.last_divisor == 0 || once.pct_start * once.epochs == 1;
}

bool fails_at(const EpochRateCurve& course, double epoch) {
  return std::visit(
      base::Overloaded{
          [&](const StepDecay& decay) { return decay.epochs == 0; },
          [&](const CosineAnnealing& cosine) { return cosine.epochs == 0; },
          [&](const PolynomialDecay& decay) {
            const double left = decay.epochs == 0 ? 0 : 1 - epoch / decay.epochs;
            return decay.epochs == 0 || (left < 0 && decay.power != std::floor(decay.power)) ||
                   (left == 0 && decay.power < 0);
          },
          [&](const FactorRamp& ramp) { return ramp.linear && ramp.epochs == 0; },
          [&](const OneCycle& once) { return epoch > once.epochs || fails_when_built(once); },
          [&](const Cyclic& triangles) {  // an infinite fall makes the share of the rise 0
            const double size = triangles.up + triangles.down;
            return size == 0 || triangles.up / size == 0;
          },
          [&](const base::AnyOf<MilestoneDecay, MilestoneFactors, ExponentialDecay, CosineRestarts, Plateau> auto&) {
            return false;
          },
      },
      course);
}

}  // namespace sparsecfg::ir
