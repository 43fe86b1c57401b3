#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number.h"
#include "check/check.h"
#include "ir/sparsity.h"

// Checks update frequencies (SP3).
namespace sparsecfg::check {

static bool counts_steps(double frequency) { return frequency >= 50 && frequency == std::floor(frequency); }

// Says what happens at the two updates of a ramp: "the only updates are at epochs 0 and 38, 0.05 and then 0.85".
static std::string only_updates(const ir::Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  const auto* from = prune == nullptr ? nullptr : ir::initial_sparsity(prune->curve);
  const double start = std::max(action.cadence.start.value, 0.0);
  const std::string when = fmt::format("the only updates are at epochs {} and {}", start, action.cadence.end.value);
  if (from == nullptr || prune->targets.size() != 1) return when;
  return fmt::format("{}, from {} to {} at once", when, base::python_repr(from->value),
                     base::python_repr(prune->targets.front().sparsity.value));
}

// A number of steps becomes epochs. Otherwise, the window is divided into about twenty updates.
static double frequency_meant(const Context& context, const ir::Action& action, double every) {
  const double window = action.cadence.end.value - std::max(action.cadence.start.value, 0.0);
  const double in_epochs = context.steps_per_epoch ? every / static_cast<double>(*context.steps_per_epoch) : window + 1;
  const double steps = static_cast<double>(context.steps_per_epoch.value_or(0));
  const bool part = steps > 0 && (std::fmod(steps, every) == 0 || std::fmod(every, steps) == 0);  // of an epoch
  if ((counts_steps(every) || part) && in_epochs <= window) return in_epochs;
  return window >= 10 ? 1.0 : window / 10;
}

static std::string advice_on_frequency(const Context& context, const ir::Action& action, const std::string& field,
                                       double every) {
  const double meant = frequency_meant(context, action, every);
  const bool converted = meant * static_cast<double>(context.steps_per_epoch.value_or(0)) == every;
  const std::string unit = converted ? fmt::format(", {} steps in epochs", every)
                           : counts_steps(every)
                               ? fmt::format(", or divide {} by the steps per epoch if it counts steps", every)
                               : std::string();
  return fmt::format("write `{}: {}`{}", field, base::python_repr(meant), unit);
}

// Returns true for a mask such as 2:4 that is applied at the end at once. Its frameworks accept no value in between.
static bool is_single_jump(const ir::Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  const auto* from = prune == nullptr ? nullptr : ir::initial_sparsity(prune->curve);
  return from != nullptr && from->value == 0 && prune->structure.kind == ir::Structure::Kind::n_of_m;
}

static void check_frequency(const Context& context, const ir::Action& action) {
  const auto* every = action.cadence.every();
  const ir::OriginField* field = every == nullptr ? nullptr : action.origin.whole_field_at(every->span);
  // Readers check frequencies in whole epochs.
  if (field == nullptr || every->value == -1 || action.cadence.is<ir::WholeEpochs>()) {
    return;
  }
  const double window = action.cadence.end.value - action.cadence.start.value;
  if (every->value <= 0) {
    context.sink
        .report(diag::frequency_means_every_step, every->span, field->name, base::python_repr(every->value),
                "means every step")
        .with_help("write `-1.0`, which states it, or a frequency in epochs such as `1.0`")
        .with_fix(field->evaluated ? diag::Fix() : diag::Fix::safe().replace(every->span, "-1.0"));
  } else if (window > 0 && every->value > window && !is_single_jump(action)) {
    context.sink
        .report(diag::frequency_longer_than_window, every->span, field->name, base::python_repr(every->value),
                base::python_repr(window))
        .with_label(action.cadence.end.span, "the modifier ends here")
        .with_caret(only_updates(action))
        .with_help(advice_on_frequency(context, action, field->name, every->value));
  }
}

void check_frequencies(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    const bool divides = prune != nullptr && std::holds_alternative<ir::Alternation>(prune->curve);
    if (action.valid && !(divides && action.cadence.every_or(1) <= 0)) {
      check_frequency(context, action);
    }
  }
}

}  // namespace sparsecfg::check
