#include "dialect/foreign.h"

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "ir/clock.h"

namespace sparsecfg::dialect {

constexpr std::size_t kMaxUpdates = 1'000'000;

using Steps = std::vector<std::uint64_t>;

// Returns a lower bound of the number of updates, to reject schedules with too many updates without computing them.
static double least_updates(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  const double epochs = cadence.end.value - cadence.start.value;
  const auto steps = static_cast<double>(steps_per_epoch);
  const double every = cadence.every ? std::max(cadence.every->value, 0.0) : 0;
  switch (cadence.kind) {
    case ir::Cadence::Kind::since_last_update: return cadence.every ? epochs * steps / (every * steps + 2) : 0;
    case ir::Cadence::Kind::per_batch: return epochs * steps - 1;
    case ir::Cadence::Kind::whole_epochs: return cadence.listed.empty() ? epochs / std::max(every, 1.0) : 0;
    case ir::Cadence::Kind::counted: return static_cast<double>(cadence.counted->times);
    case ir::Cadence::Kind::whole_steps: return 0;
  }
  return 0;
}

// The next update is at the first step whose epoch is at least the epoch of the last update plus `every`, computed in
// doubles as the framework does.
static std::optional<Steps> drifting_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch, std::size_t max) {
  const std::uint64_t first = ir::first_step_at(cadence.start.value, steps_per_epoch);
  const std::uint64_t last = std::max(ir::first_step_at(cadence.end.value, steps_per_epoch), first);
  const bool never = cadence.start.value > ir::kMaxEpochs || (cadence.start.value < 0 && cadence.start.value != -1);
  if (cadence.end.value < 0 || never) {
    return std::nullopt;
  }
  Steps steps = {first};
  while (cadence.every && steps.back() < last && steps.size() <= max) {
    const double next_step = ir::epoch_of(steps.back(), steps_per_epoch) + std::max(cadence.every->value, 0.0);
    steps.push_back(std::min(std::max(ir::first_step_at(next_step, steps_per_epoch), steps.back() + 1), last));
  }
  if (steps.back() < last) {
    steps.push_back(last);
  }
  return steps;
}

static Steps batch_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch, std::size_t max) {
  Steps steps;
  const std::uint64_t end = cadence.start.value < 0 ? 0 : ir::first_step_at(cadence.end.value, steps_per_epoch);
  for (std::uint64_t step = ir::first_step_at(cadence.start.value, steps_per_epoch); step < end && steps.size() <= max;
       ++step) {
    steps.push_back(step);
  }
  return steps;
}

static Steps epoch_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch, std::size_t max) {
  Steps steps;
  const auto add = [&](double epoch) {
    if (epoch >= 0 && epoch <= ir::kMaxEpochs && epoch == std::floor(epoch))
      steps.push_back(static_cast<std::uint64_t>(epoch) * steps_per_epoch);
  };
  for (const auto& epoch : cadence.listed) {
    add(epoch.value);
  }
  const double every = cadence.every ? std::max(cadence.every->value, 1.0) : 1;
  for (double epoch = cadence.start.value; cadence.listed.empty() && epoch < cadence.end.value && steps.size() <= max;
       epoch += every) {
    add(epoch);
  }
  std::ranges::sort(steps);
  return steps;
}

static Steps counted_steps(const ir::StepSchedule& counted, std::uint64_t steps_per_epoch, std::size_t max) {
  Steps steps;
  const std::uint64_t factor = counted.in_epochs ? steps_per_epoch : 1;
  for (std::uint64_t update = 0; update < counted.times && steps.size() <= max; ++update) {
    steps.push_back((counted.first + update * counted.every) * factor);
  }
  return steps;
}

static std::optional<Steps> steps_of(const ir::Cadence& cadence, std::uint64_t steps_per_epoch, std::size_t max) {
  switch (cadence.kind) {
    case ir::Cadence::Kind::since_last_update: return drifting_steps(cadence, steps_per_epoch, max);
    case ir::Cadence::Kind::per_batch: return batch_steps(cadence, steps_per_epoch, max);
    case ir::Cadence::Kind::whole_epochs: return epoch_steps(cadence, steps_per_epoch, max);
    case ir::Cadence::Kind::counted: return counted_steps(*cadence.counted, steps_per_epoch, max);
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

// Counted curves run over update indices, not over epochs.
static std::optional<double> value_at_update(const ir::SparsityCurve& curve, double target,
                                             const ir::StepSchedule& counted, std::uint64_t update) {
  ir::Cadence window;
  window.start.value = 0;
  window.end.value = static_cast<double>(counted.parts);
  return value_at(curve, target, window, counted.reached(update));
}

// Returns true if the sparsity is constant, so one update is enough.
static bool is_flat(const ir::SparsityCurve& curve, double target) {
  const auto* from = ir::initial_sparsity(curve);
  return std::holds_alternative<ir::Constant>(curve) || (from != nullptr && from->value == target);
}

std::optional<std::vector<Update>> updates_of(const ir::Cadence& cadence, const ir::SparsityCurve& curve, double target,
                                              std::uint64_t steps_per_epoch, std::size_t& left) {
  if (is_flat(curve, target) && cadence.kind == ir::Cadence::Kind::since_last_update) {
    return std::vector<Update>{{ir::first_step_at(cadence.start.value, steps_per_epoch), target}};
  }
  const std::size_t max = std::min(kMaxUpdates, left);
  if (least_updates(cadence, steps_per_epoch) > static_cast<double>(max)) {
    return std::nullopt;
  }
  const auto steps = steps_of(cadence, steps_per_epoch, max);
  left -= steps ? std::min(steps->size(), left) : 0;
  if (!steps || steps->empty() || steps->size() > max) {
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
