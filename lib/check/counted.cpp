#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"
#include "timeline/run.h"

// Reports ramps over a number of updates that never reach their final sparsity (SP2).
namespace sparsecfg::check {

using ir::Action;

// Reports a pruner whose last update does not reach the final sparsity.
static void check_last_goal(const Context& context, const Action& action, const ir::Prune& prune) {
  const ir::StepSchedule& counted = *action.cadence.counted();
  if (counted.reached(counted.times) >= static_cast<double>(counted.parts)) {
    return;
  }
  for (const ir::Target& target : prune.targets) {
    auto& report = context.sink.report(diag::final_update_unreachable, target.sparsity.span,
                                       base::python_repr(target.sparsity.value));
    const std::string reached =
        fmt::format("the last update reaches step {} of {} of the ramp", counted.times - counted.lag, counted.parts);
    report.with_caret(reached).with_help(
        context.remedies.last_mask.empty()
            ? fmt::format("make {} updates instead of {}", counted.parts + counted.lag, counted.times)
            : std::string(context.remedies.last_mask));
    const source::Span start = action.cadence.start.span;  // of the steps before the masks are made
    if (start.empty()) continue;
    if (advise_value(report, action, start, fmt::format("{}", counted.every), ", the interval of the steps")) {
      report.with_caret("masks are made before the sparsity is raised").with_label(target.sparsity.span, reached);
    } else {
      report.with_label(start, "masks are made before the sparsity is raised");
    }
  }
}

// Returns the edit that makes the run long enough for the last update.
static std::string longer_run(const Context& context, const timeline::Run& run, std::uint64_t last) {
  const double epochs = std::ceil(static_cast<double>(last) / static_cast<double>(run.steps_per_epoch));
  const auto& length = context.recipe.length;
  const std::string_view field = length ? base::last_part(length->field) : std::string_view();
  return field == "max_epochs" ? fmt::format("write `max_epochs: {}`", epochs) : fmt::format("train {} epochs", epochs);
}

// A number of updates, or of steps between them, with which a ramp fits into the run. The value is 0 if there is none.
struct Shorter {
  std::string_view field{};
  std::uint64_t value = 0;
};

// The interval is kept if several updates remain: the weights adapt in it, and an inner pruner may need its steps.
static Shorter shorter_ramp(const timeline::Run& run, const ir::StepSchedule& counted) {
  constexpr std::uint64_t kFewest = 5;
  const bool epochs = counted.every > 0 && counted.every % run.steps_per_epoch == 0;
  const std::uint64_t updates = counted.every > 0 ? run.steps() / counted.every : 0;
  if (updates >= (epochs ? 1 : kFewest)) return {"total_times", updates};
  return {"interval_steps", run.steps() / std::max<std::uint64_t>(counted.times, 1)};
}

// Reports a run that ends before the last update.
static void check_length(const Context& context, const timeline::Run& run, const Action& action,
                         const ir::Prune& prune) {
  const ir::StepSchedule& counted = *action.cadence.counted();
  const std::uint64_t unit = counted.in_epochs ? run.steps_per_epoch : 1;
  const std::uint64_t last = (counted.first + (counted.times - 1) * counted.every) * unit;
  if (last <= run.steps()) {
    return;
  }
  for (const ir::Target& target : prune.targets) {
    const std::string reached = fmt::format("reached after step {}, but the run has {} steps", last, run.steps());
    auto& report = context.sink.report(diag::final_update_unreachable, target.sparsity.span,
                                       base::python_repr(target.sparsity.value));
    const std::string longer = longer_run(context, run, last);
    report.with_caret(reached).with_help(longer);
    report.usual_help = longer;
    const auto& length = context.recipe.length;
    if (length && !length->span.empty()) report.with_label(length->span, "the training ends here");
    const Shorter shorter = counted.first == counted.every && unit == 1 ? shorter_ramp(run, counted) : Shorter();
    const source::Span place = shorter.value == 0 ? source::Span() : action.origin.place(shorter.field);
    if (advise_value(report, action, place, fmt::format("{}", shorter.value), ", or " + longer)) {
      report.with_caret(fmt::format("{} updates take {} steps", counted.times, last))
          .with_label(target.sparsity.span, reached);
    }
  }
}

// Reports a ramp over whole epochs whose last active epoch, which reaches the final sparsity, is after the run.
static void check_epochs_of_ramp(const Context& context, const Action& action, const ir::Prune& prune) {
  const ir::Cadence& cadence = action.cadence;
  const bool ramp = std::holds_alternative<ir::EpochCurve>(prune.curve);
  const double last =
      cadence.start.value + ir::epochs_passed(cadence.start.value, cadence.end.value, cadence.every_or(1));
  if (!ramp || !context.epochs || last < *context.epochs || cadence.start.value >= *context.epochs) {
    return;
  }
  for (const ir::Target& target : prune.targets) {
    auto& report =
        context.sink.report(diag::final_update_unreachable, cadence.end.span, base::python_repr(target.sparsity.value));
    report.with_caret(fmt::format("reached in epoch {}, but the last epoch is {}", last, *context.epochs - 1))
        .with_label(target.sparsity.span, "the final sparsity")
        .with_help(fmt::format("end the ramp at epoch {}, or train longer", *context.epochs));
    advise_value(report, action, cadence.end.span, fmt::format("{}", *context.epochs),
                 fmt::format(", or train {} epochs", last + 1));
  }
}

void check_counted(const Context& context) {
  for (const Action& action : context.recipe.actions) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    if (prune != nullptr && action.valid && action.cadence.is<ir::WholeEpochs>()) {
      check_epochs_of_ramp(context, action, *prune);
    }
    if (prune == nullptr || !action.valid || action.cadence.counted() == nullptr ||
        action.cadence.counted()->times == 0) {
      continue;
    }
    check_last_goal(context, action, *prune);
    if (context.epochs && context.steps_per_epoch) {
      check_length(context,
                   {*context.steps_per_epoch, *context.epochs, std::nullopt, context.parameters, context.modules},
                   action, *prune);
    }
  }
}

}  // namespace sparsecfg::check
