#include "ir/sparsity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/limits.h"
#include "base/overloaded.h"
#include "ir/clock.h"
#include "ir/curve.h"
#include "ir/trigger.h"

namespace sparsecfg::ir {

// An unknown start of a ramp matters until the ramp ends.
static void ramps_at(const Ramp& ramp, double target, const Cadence& cadence, std::span<const double> epochs,
                     std::span<std::optional<double>> out) {
  constexpr std::size_t kBlock = 256;
  const bool ends = cadence.ends();
  const auto progress_at = [start = cadence.start.value, length = cadence.end.value - cadence.start.value](
                               double epoch) { return (epoch - start) / length; };
  if (!ramp.from) {
    std::ranges::transform(epochs, out.begin(), [&](double epoch) {
      return ends && progress_at(epoch) >= 1 ? std::optional(target) : std::nullopt;
    });
    return;
  }
  std::array<double, kBlock> progress;
  for (std::size_t first = 0; first < epochs.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, epochs.size() - first);
    std::ranges::transform(epochs.subspan(first, count), progress.begin(), progress_at);
    interpolate_all(ramp.shape, std::span(progress).first(count), ramp.from->value, target, out.subspan(first, count));
  }
}

// Even phases are dense, but the last window before the end is always sparse. Without an end all phases are sparse.
static double alternation_at(double target, const Cadence& cadence, double epoch) {
  const double frequency = cadence.every_or(1);
  const double phase = std::floor((epoch - cadence.start.value) / frequency);
  const bool dense = std::fmod(phase, 2) == 0 && cadence.end_or(-1) - frequency > epoch;
  return dense ? 0.0 : target;
}

static std::optional<double> epoch_ramp_at(const EpochCurve& ramp, double target, const Cadence& cadence,
                                           double epoch) {
  const double start = cadence.start.value;
  const double passed = epochs_passed(start, cadence.end.value, cadence.every_or(0));
  return passed > 0 ? std::optional(value_at(ramp, target, start, passed, std::floor(epoch))) : std::nullopt;
}

void sparsities_at(const SparsityCurve& curve, double target, const Cadence& cadence, std::span<const double> epochs,
                   std::span<std::optional<double>> out) {
  const auto each = [&](auto value_of) { std::ranges::transform(epochs, out.begin(), value_of); };
  std::visit(
      base::Overloaded{
          [&](const Ramp& ramp) { ramps_at(ramp, target, cadence, epochs, out); },
          [&](const Alternation&) { each([&](double epoch) { return alternation_at(target, cadence, epoch); }); },
          [&](const base::AnyOf<ForwardBackward, Constant> auto&) { std::ranges::fill(out, target); },
          [&](const Distributed&) { std::ranges::fill(out, std::nullopt); },
          [&](const PowerRamp& ramp) {
            each([&](double epoch) { return value_at(ramp, target, cadence.start.value, cadence.end.value, epoch); });
          },
          [&](const base::AnyOf<PiecewiseConstant, Expression> auto& one) {
            each([&](double epoch) { return value_at(one, epoch); });
          },
          [&](const EpochCurve& ramp) {
            each([&](double epoch) { return epoch_ramp_at(ramp, target, cadence, epoch); });
          },
      },
      curve);
}

std::optional<double> sparsity_at(const SparsityCurve& curve, double target, const Cadence& cadence, double epoch) {
  std::optional<double> sparsity;
  sparsities_at(curve, target, cadence, {&epoch, 1}, {&sparsity, 1});
  return sparsity;
}

std::optional<double> sparsity_at_update(const SparsityCurve& curve, double target, const StepSchedule& counted,
                                         std::uint64_t update) {
  Cadence window;
  window.start.value = 0;
  window.end.value = static_cast<double>(counted.parts);
  return sparsity_at(curve, target, window, counted.reached(update));
}

// --- all updates ------------------------------------------------------------------------------

// Returns a lower bound of the number of updates, to reject schedules with too many updates without computing them.
static double least_updates(const Cadence& cadence, std::uint64_t steps_per_epoch) {
  const double epochs = cadence.end.value - cadence.start.value;
  const auto steps = static_cast<double>(steps_per_epoch);
  const double every = std::max(cadence.every_or(0), 0.0);
  return std::visit(
      base::Overloaded{
          [&](const SinceLastUpdate& one) { return one.every ? epochs * steps / (every * steps + 2) : 0; },
          [&](const PerBatch&) { return epochs * steps - 1; },
          [&](const WholeEpochs& one) { return one.listed.empty() ? epochs / std::max(every, 1.0) : 0; },
          [](const Counted& one) { return static_cast<double>(one.schedule.times); },
          [](const WholeSteps&) { return 0.0; },
      },
      cadence.rhythm);
}

// Returns true if the sparsity is constant, so one update is enough.
static bool is_flat(const SparsityCurve& curve, double target) {
  const auto* from = initial_sparsity(curve);
  return std::holds_alternative<Constant>(curve) || (from != nullptr && from->value == target);
}

// Returns false if updates never end, or if their sparsities are unknown before the run.
static bool has_updates(const Cadence& cadence, const SparsityCurve& curve) {
  const bool endless = !cadence.ends() && (cadence.is<SinceLastUpdate>() || cadence.is<PerBatch>());
  const auto* ramp = std::get_if<Ramp>(&curve);
  return !endless && !cadence.is<WholeSteps>() && (ramp == nullptr || ramp->from) &&
         !std::holds_alternative<Alternation>(curve) && !std::holds_alternative<ForwardBackward>(curve);
}

std::optional<std::vector<Update>> updates_of(const Cadence& cadence, const SparsityCurve& curve, double target,
                                              std::uint64_t steps_per_epoch, std::size_t& left) {
  if (is_flat(curve, target) && cadence.is<SinceLastUpdate>()) {
    return std::vector<Update>{{first_step_at(cadence.start.value, steps_per_epoch), target}};
  }
  const std::size_t max = std::min(limits::kMaxUpdatesOfPruner, left);
  if (!has_updates(cadence, curve) || least_updates(cadence, steps_per_epoch) > static_cast<double>(max)) {
    return std::nullopt;
  }
  std::vector<Update> updates;
  Trigger trigger(cadence, steps_per_epoch);
  for (Tick tick = trigger.next(); tick.step != kNever; tick = trigger.next()) {
    const auto sparsity = cadence.counted() != nullptr
                              ? sparsity_at_update(curve, target, *cadence.counted(), trigger.fired())
                              : sparsity_at(curve, target, cadence, epoch_of(tick.step, steps_per_epoch));
    if (updates.size() == max || !sparsity || !std::isfinite(*sparsity)) {
      return std::nullopt;
    }
    updates.push_back({tick.step, *sparsity});
    --left;
  }
  return updates.empty() ? std::nullopt : std::optional(std::move(updates));
}

}  // namespace sparsecfg::ir
