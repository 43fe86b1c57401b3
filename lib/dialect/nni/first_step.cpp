#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/read.h"

// Checks that quantization-aware training starts before the end of the run.
namespace sparsecfg::dialect::nni {

// Returns the epochs that a number of steps has with a smaller or larger batch: half the batch has twice the steps of
// an epoch, or one to each half less if the last batch is not full.
static std::optional<double> epochs_with_other_batch(double value, double steps_per_epoch) {
  constexpr std::array kFactors = {2.0, 0.5, 4.0, 0.25, 8.0};
  for (const double factor : kFactors) {
    const double full = std::ceil(steps_per_epoch * factor);
    const int tries = factor > 1 ? static_cast<int>(factor) : 1;
    for (int less = 0; less < tries; ++less) {
      const double steps = full - less;
      if (steps > 1 && std::fmod(value, steps) == 0) return value / steps;
    }
  }
  return std::nullopt;
}

// Returns the whole epochs that were meant by a step behind the end of the run, or a third of the run.
static double epochs_before(double value, double steps, double steps_per_epoch) {
  const double all = std::floor(steps / steps_per_epoch);
  const auto other = epochs_with_other_batch(value, steps_per_epoch);
  return other && *other < all ? *other : std::max(1.0, std::round(all / 3));
}

static void offer_first_step(diag::Diagnostic& report, source::Span place, double value, double steps,
                             std::optional<double> steps_per_epoch, const Context& context) {
  const bool known = steps_per_epoch && *steps_per_epoch >= 1 && steps >= 2 * *steps_per_epoch;
  const double epochs = known ? epochs_before(value, steps, *steps_per_epoch) : 0;
  const double first = known ? epochs * *steps_per_epoch : std::floor(steps / 3);
  const std::string of = !known
                             ? "a third of the run"
                             : fmt::format("{} epoch{} of {} steps", epochs, epochs == 1 ? "" : "s", *steps_per_epoch);
  report.with_caret(fmt::format("the run has {} steps", steps))
      .with_help(fmt::format("write `quant_start_step{}{}`, {}", context.in_script ? "=" : ": ", first, of))
      .with_fix(diag::Fix::unsafe().replace(place, fmt::format("{}", first)));
}

void find_first_step(Compressor& compressor, double steps, std::optional<double> steps_per_epoch,
                     const Context& context) {
  const bool waits = compressor.valid && compressor.main && compressor.main->spec != nullptr &&
                     compressor.main->spec->kind == Schedule::from_step;
  const source::Value* start = waits ? find_value(compressor.main->arguments, "quant_start_step") : nullptr;
  const auto first = start == nullptr ? std::nullopt : start->number();
  if (!first || *first <= 0 || *first < steps || !compressor.quantizes) return;
  compressor.quantizes = false;
  auto& report = context.sink.report(diag::never_starts, start->span, fmt::format("quantization at step {}", *first));
  report.usual_help = fmt::format("write a `quant_start_step` below the {} steps of the run", steps);
  if (steps >= 3 && std::floor(*first) == *first) {
    offer_first_step(report, start->span, *first, steps, steps_per_epoch, context);
  } else {
    report.with_help(report.usual_help);
  }
}

}  // namespace sparsecfg::dialect::nni
