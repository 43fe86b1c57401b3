#include "dialect/foreign.h"

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "ir/clock.h"

namespace sparsecfg::dialect {

constexpr std::size_t kMaxUpdates = 1'000'000;

using Steps = std::vector<std::uint64_t>;

// Each one at the first step whose epoch is not below that of the last one plus `every`, in doubles.
static std::optional<Steps> drifting_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  const std::uint64_t first = ir::first_step_at(cadence.start.value, steps_per_epoch);
  const std::uint64_t last = std::max(ir::first_step_at(cadence.end.value, steps_per_epoch), first);
  const bool never = cadence.start.value > ir::kMaxEpochs || (cadence.start.value < 0 && cadence.start.value != -1);
  if (cadence.end.value < 0 || never) {
    return std::nullopt;
  }
  Steps steps = {first};
  while (cadence.every && steps.back() < last && steps.size() <= kMaxUpdates) {
    const double next_step = ir::epoch_of(steps.back(), steps_per_epoch) + std::max(cadence.every->value, 0.0);
    steps.push_back(std::min(std::max(ir::first_step_at(next_step, steps_per_epoch), steps.back() + 1), last));
  }
  if (steps.back() < last) {
    steps.push_back(last);
  }
  return steps;
}

static Steps batch_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  Steps steps;
  const std::uint64_t end = cadence.start.value < 0 ? 0 : ir::first_step_at(cadence.end.value, steps_per_epoch);
  for (std::uint64_t step = ir::first_step_at(cadence.start.value, steps_per_epoch);
       step < end && steps.size() <= kMaxUpdates; ++step) {
    steps.push_back(step);
  }
  return steps;
}

static Steps epoch_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  Steps steps;
  const auto add = [&](double epoch) {
    if (epoch >= 0 && epoch <= ir::kMaxEpochs && epoch == std::floor(epoch))
      steps.push_back(static_cast<std::uint64_t>(epoch) * steps_per_epoch);
  };
  for (const auto& epoch : cadence.listed) {
    add(epoch.value);
  }
  const double every = cadence.every ? std::max(cadence.every->value, 1.0) : 1;
  for (double epoch = cadence.start.value;
       cadence.listed.empty() && epoch < cadence.end.value && steps.size() <= kMaxUpdates; epoch += every) {
    add(epoch);
  }
  std::ranges::sort(steps);
  return steps;
}

static Steps counted_steps(const ir::StepSchedule& counted, std::uint64_t steps_per_epoch) {
  Steps steps;
  const std::uint64_t factor = counted.in_epochs ? steps_per_epoch : 1;
  for (std::uint64_t update = 0; update < counted.times && steps.size() <= kMaxUpdates; ++update) {
    steps.push_back((counted.first + update * counted.every) * factor);
  }
  return steps;
}

static std::optional<Steps> steps_of(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  switch (cadence.kind) {
    case ir::Cadence::Kind::since_last_update: return drifting_steps(cadence, steps_per_epoch);
    case ir::Cadence::Kind::per_batch: return batch_steps(cadence, steps_per_epoch);
    case ir::Cadence::Kind::whole_epochs: return epoch_steps(cadence, steps_per_epoch);
    case ir::Cadence::Kind::counted: return counted_steps(*cadence.counted, steps_per_epoch);
    case ir::Cadence::Kind::whole_steps: return std::nullopt;
  }
  return std::nullopt;
}

static std::optional<double> value_at(const ir::SparsityCurve& curve, double target, const ir::Cadence& cadence,
                                      double epoch) {
  const double start = cadence.start.value;
  const double end = cadence.end.value;
  const auto along = [&](const ir::EpochCurve& ramp) {
    const double passed = ir::epochs_passed(start, end, cadence.every ? cadence.every->value : 1);
    return passed > 0 ? std::optional(ir::value_at(ramp, target, start, passed, epoch)) : std::nullopt;
  };
  return std::visit(base::Overloaded{
                        [&](const ir::Ramp& ramp) {
                          return ramp.from ? ir::interpolate(ramp.shape, (epoch - start) / (end - start),
                                                             ramp.from->value, target)
                                           : std::nullopt;
                        },
                        [&](const ir::PowerRamp& ramp) { return ir::value_at(ramp, target, start, end, epoch); },
                        [&](const ir::EpochCurve& ramp) { return along(ramp); },
                        [&](const ir::Constant&) { return std::optional(target); },
                        [&](const ir::PiecewiseConstant& stairs) { return std::optional(ir::value_at(stairs, epoch)); },
                        [&](const ir::Expression& expression) { return ir::value_at(expression, epoch); },
                        [](const base::AnyOf<ir::Alternation, ir::ForwardBackward, ir::Distributed> auto&) {
                          return std::optional<double>();
                        },
                    },
                    curve);
}

// What is counted goes from update 0 to the last one instead of from epoch to epoch.
static std::optional<double> value_at_update(const ir::SparsityCurve& curve, double target,
                                             const ir::StepSchedule& counted, std::uint64_t update) {
  ir::Cadence window;
  window.start.value = 0;
  window.end.value = static_cast<double>(counted.parts);
  return value_at(curve, target, window, counted.reached(update));
}

// What does not change is set once.
static bool is_flat(const ir::SparsityCurve& curve, double target) {
  const auto* from = ir::initial_sparsity(curve);
  return std::holds_alternative<ir::Constant>(curve) || (from != nullptr && from->value == target);
}

std::optional<std::vector<Update>> updates_of(const ir::Cadence& cadence, const ir::SparsityCurve& curve, double target,
                                              std::uint64_t steps_per_epoch) {
  if (is_flat(curve, target) && cadence.kind == ir::Cadence::Kind::since_last_update) {
    return std::vector<Update>{{ir::first_step_at(cadence.start.value, steps_per_epoch), target}};
  }
  const auto steps = steps_of(cadence, steps_per_epoch);
  if (!steps || steps->empty() || steps->size() > kMaxUpdates) {
    return std::nullopt;
  }
  std::vector<Update> updates;
  for (const std::uint64_t step : *steps) {
    const auto sparsity = cadence.counted ? value_at_update(curve, target, *cadence.counted, updates.size() + 1)
                                          : value_at(curve, target, cadence, ir::epoch_of(step, steps_per_epoch));
    if (!sparsity || !std::isfinite(*sparsity)) {
      return std::nullopt;
    }
    updates.push_back({step, *sparsity});
  }
  return updates;
}

}  // namespace sparsecfg::dialect
