#include <fmt/core.h>

#include "base/number.h"
#include "check/check.h"

// Checks distillation modifiers (SP8).
namespace sparsecfg::check {

static void check_loss(const Context& context, const ir::Distill& distill) {
  if (distill.temperature && distill.temperature->value <= 0) {
    context.sink.report(diag::temperature_not_positive, distill.temperature->span,
                        base::python_repr(distill.temperature->value));
  }
  if (distill.hardness && distill.hardness->value == 0) {
    context.sink.report(diag::teacher_without_weight, distill.hardness->span)
        .with_fix(diag::Fix::unsafe().replace(distill.hardness->span, "1.0"));
  }
  if (distill.hardness && (distill.hardness->value < 0 || distill.hardness->value > 1)) {
    const double hardness = distill.hardness->value;
    auto& report =
        context.sink.report(diag::hardness_out_of_range, distill.hardness->span, base::python_repr(hardness));
    const auto& temperature = distill.temperature;
    if (hardness > 1 && temperature && temperature->value > 0 && temperature->value < 1) {
      const std::string swapped = base::python_repr(temperature->value);
      report.with_label(temperature->span, "a temperature is usually above 1")
          .with_help(fmt::format("exchange the values: write `hardness: {}` and `temperature: {}`", swapped,
                                 base::python_repr(hardness)))
          .with_fix(diag::Fix::unsafe()
                        .replace(distill.hardness->span, swapped)
                        .replace(temperature->span, base::python_repr(hardness)));
    } else if (hardness > 1 && hardness <= 100) {
      const std::string fraction = base::python_repr(hardness / 100);
      report.with_help(fmt::format("write `{}`: the hardness is a fraction, not a percentage", fraction))
          .with_fix(diag::Fix::unsafe().replace(distill.hardness->span, fraction));
    }
  }
}

void check_distillation(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    if (const auto* distill = std::get_if<ir::Distill>(&action.effect)) {
      context.sink.report(diag::distillation_without_teacher, action.origin.span);
      check_loss(context, *distill);
    }
  }
}

}  // namespace sparsecfg::check
