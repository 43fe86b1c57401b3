#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "check/check.h"

// Reports starts, listed epochs, milestones and step sizes beyond the end of the run (SP2, SP3, SP5). Does not repeat
// findings of the SparseML rules.
namespace sparsecfg::check {

using ir::Action;
using ir::Cadence;

static bool counts_whole_epochs(const Action& action) {
  const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
  const bool builds = scheduler != nullptr && scheduler->builds;
  return action.valid && !builds && action.cadence.is<ir::WholeEpochs>() &&
         action.cadence.start.value < action.cadence.end.value;
}

// Reports an action that starts after the training and returns true for it.
static bool check_start(const Context& context, const Action& action) {
  const auto& start = action.cadence.start;
  if (start.value < *context.epochs) {
    return false;
  }
  context.sink.report(diag::starts_after_training, start.span, start.value, *context.epochs)
      .with_severity(diag::Severity::warning)
      .with_help(fmt::format("start it before epoch {}, or train longer", *context.epochs));
  return true;
}

// Reports listed epochs after the training.
static void check_listed(const Context& context, const Action& action) {
  for (const ir::Located<double>& epoch : action.cadence.listed()) {
    if (epoch.value >= *context.epochs) {
      context.sink.report(diag::starts_after_training, epoch.span, epoch.value, *context.epochs)
          .with_severity(diag::Severity::warning)
          .with_help(fmt::format("write an epoch before {}, or train longer", *context.epochs));
      return;
    }
  }
}

// Returns the milestones of a scheduler that steps once per epoch, or null.
static const std::vector<double>* milestones_of(const ir::EpochRateCurve& rate) {
  return std::visit(
      [](const auto& curve) -> const std::vector<double>* {
        if constexpr (requires { curve.milestones; })
          return &curve.milestones;
        else
          return nullptr;
      },
      rate);
}

// Returns the number of epochs before `end` in which an action acts.
static double active_epochs(const Cadence& cadence, double end) {
  if (!cadence.listed().empty()) {
    return static_cast<double>(
        std::ranges::count_if(cadence.listed(), [&](const auto& epoch) { return epoch.value < end; }));
  }
  const double last = std::min(cadence.end.value, end);
  return std::max(0.0, std::ceil((last - cadence.start.value) / std::max(cadence.every_or(1), 1.0)));
}

// Returns the number of steps of a scheduler at the end of the epochs before `end`. Each of its actions adds steps.
static double steps_of(const Context& context, const ir::EpochScheduler& scheduler, double end) {
  double steps = 0;
  for (const Action& action : context.recipe.actions) {
    const auto* other = std::get_if<ir::EpochScheduler>(&action.effect);
    const bool same = other != nullptr && other->number == scheduler.number && !other->builds;
    if (same && action.valid) steps += active_epochs(action.cadence, end);
  }
  return steps;
}

// Returns the place of the listed epochs of an action; empty if it has none.
static source::Span place_of_listed(const Cadence& cadence) {
  const auto listed = cadence.listed();
  return listed.empty() ? source::Span() : source::Span{listed.front().span.begin, listed.back().span.end};
}

// Reports a milestone that a scheduler which counts its steps reaches too late or never. The step after the last epoch
// changes no epoch.
static void check_counted_milestones(const Context& context, const Action& action, const ir::EpochScheduler& scheduler,
                                     const std::vector<double>& milestones) {
  const double steps = steps_of(context, scheduler, *context.epochs - 1);
  const auto missed = std::ranges::find_if(milestones, [&](double each) { return each > steps; });
  if (missed == milestones.end()) return;
  const ir::Located<double>& start = action.cadence.start;
  const bool late = start.value > 0 && milestones.back() <= start.value + steps;  // meant as absolute epochs
  auto& report = context.sink.report(diag::milestone_outside_window, scheduler.span, base::python_repr(*missed),
                                     fmt::format("reached: the scheduler makes {} steps before the last epoch", steps));
  report.with_severity(diag::Severity::warning).with_cause(late ? start.span : place_of_listed(action.cadence));
  const double more = std::ceil(milestones.back() - steps);
  const std::string later =
      action.cadence.listed().empty() && action.cadence.end.value >= *context.epochs
          ? fmt::format("train {} epochs", *context.epochs + more)
          : fmt::format("end the policy {} later", base::counted(static_cast<std::uint64_t>(more), "epoch"));
  report.with_help(
      late ? fmt::format("milestones count from the first active epoch, {}: write `starting_epoch: 0`, or "
                         "subtract {} from each",
                         start.value, start.value)
           : fmt::format("milestones count from the first active epoch: write one of at most {}, or {}", steps, later));
}

// Reports a milestone or a step size beyond the steps of a scheduler that counts them.
static void check_counted_steps(const Context& context, const Action& action, const ir::EpochScheduler& scheduler) {
  if (const std::vector<double>* milestones = milestones_of(scheduler.course)) {
    check_counted_milestones(context, action, scheduler, *milestones);
  }
  const double steps = steps_of(context, scheduler, *context.epochs);
  const auto* decay = std::get_if<ir::StepDecay>(&scheduler.course);
  if (decay == nullptr || decay->epochs <= steps) return;
  context.sink
      .report(diag::milestone_outside_window, scheduler.span, base::python_repr(decay->epochs),
              fmt::format("reached: the scheduler makes {} steps", steps))
      .with_severity(diag::Severity::warning)
      .with_help(fmt::format(
          "milestones count from the first active epoch: write one of at most {}, or end the policy {} later", steps,
          base::counted(static_cast<std::uint64_t>(std::ceil(decay->epochs - steps)), "epoch")));
}

// Returns what makes the time in which a scheduler acts long enough for an epoch.
static std::string longer(const Context& context, const Action& action, double last, double needed) {
  const double epochs = std::floor(needed) + 1;
  const ir::OriginField* end = action.origin.whole_field_at(action.cadence.end.span);
  return last == *context.epochs || end == nullptr ? fmt::format("train {} epochs", epochs)
                                                   : fmt::format("write `{}: {}`", base::last_part(end->name), epochs);
}

// Milestones far beyond the training are probably steps.
static std::string steps_as_epochs(const Context& context, const std::vector<double>& milestones) {
  if (!context.steps_per_epoch) {
    return "milestones are epochs: divide these numbers by the steps of an epoch, if they are steps";
  }
  std::vector<std::string> epochs;
  for (const double each : milestones) {
    epochs.push_back(fmt::format("{}", std::round(each / static_cast<double>(*context.steps_per_epoch))));
  }
  return fmt::format("milestones are epochs, not steps: write `[{}]`", fmt::join(epochs, ", "));
}

static void check_milestones(const Context& context, const Action& action, const ir::EpochScheduler& scheduler) {
  const std::vector<double>* milestones = milestones_of(scheduler.course);
  if (milestones == nullptr) return;
  const double last = std::min(action.cadence.end.value, *context.epochs);
  // The step after an epoch sets the rate of the next one, which the run does not have after its last epoch.
  const bool ends = last == *context.epochs;
  const auto is_late = [&](double each) { return each > last || (ends && each == last); };
  const auto late = std::ranges::find_if(*milestones, is_late);
  if (late == milestones->end()) return;
  context.sink
      .report(
          diag::milestone_outside_window, scheduler.span, base::python_repr(*late),
          fmt::format("reached: {} at epoch {}", ends ? context.run + " ends" : "the modifier or policy ends", last))
      .with_severity(diag::Severity::warning)
      .with_help(*late > 20 * last
                     ? steps_as_epochs(context, *milestones)
                     : fmt::format("{}, or write a milestone of at most {}",
                                   longer(context, action, last, milestones->back()), ends ? last - 1 : last));
}

// Reports a step size that is longer than the window, so that the rate never drops.
static void check_step_size(const Context& context, const Action& action, const ir::Located<double>& size,
                            double from) {
  const double last = std::min(action.cadence.end.value, *context.epochs);
  if (last > from && size.value > last - from) {
    context.sink
        .report(diag::frequency_longer_than_window, size.span, "step_size", base::python_repr(size.value),
                base::python_repr(last - from))
        .with_caret(
            fmt::format("the first drop would be in epoch {}, so the learning rate never drops", from + size.value))
        .with_help((last - from < 3
                        ? std::string()
                        : fmt::format("write `step_size: {}` for drops after each third of the {} epochs, or ",
                                      std::floor((last - from) / 3), last - from)) +
                   longer(context, action, last, from + size.value));
  }
}

static void check_scheduler(const Context& context, const Action& action) {
  if (const auto* torch = std::get_if<ir::TorchScheduler>(&action.effect);
      torch != nullptr && torch->kind == ir::TorchScheduler::Kind::step &&
      action.cadence.start.value < *context.epochs) {
    check_step_size(context, action, torch->step_size, std::max(action.cadence.start.value, 0.0));
  }
  const auto* scheduler = std::get_if<ir::EpochScheduler>(&action.effect);
  if (scheduler == nullptr || scheduler->builds) {
    return;
  }
  if (scheduler->chains) {
    check_counted_steps(context, action, *scheduler);
    return;
  }
  check_milestones(context, action, *scheduler);
  if (const auto* decay = std::get_if<ir::StepDecay>(&scheduler->course)) {
    check_step_size(context, action, {decay->epochs, scheduler->span}, 0);  // StepLR of Distiller counts from epoch 0
  }
}

void check_epochs_of_run(const Context& context) {
  for (const Action& action : context.recipe.actions) {
    const bool whole = counts_whole_epochs(action);
    if (!knows_length(context) || !action.valid || (whole && check_start(context, action))) {
      continue;
    }
    if (whole) {
      check_listed(context, action);
    }
    check_scheduler(context, action);
  }
}

}  // namespace sparsecfg::check
