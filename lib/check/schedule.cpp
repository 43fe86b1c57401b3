#include <fmt/core.h>

#include <cmath>

#include "base/number.h"
#include "check/check.h"

// Checks update frequencies (SP3).
namespace sparsecfg::check {

static bool counts_steps(double frequency) { return frequency >= 50 && frequency == std::floor(frequency); }

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
  } else if (window > 0 && every->value > window) {
    context.sink
        .report(diag::frequency_longer_than_window, every->span, field->name, base::python_repr(every->value),
                base::python_repr(window))
        .with_label(action.cadence.end.span, "the modifier ends here")
        .with_help(counts_steps(every->value)
                       ? fmt::format("divide {} by the steps per epoch; `{}` is in epochs", every->value, field->name)
                       : "");
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
