#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "base/overloaded.h"
#include "check/check.h"

// Checks the learning rate: gaps, rises and rates that stay at 0 (SP5).
namespace sparsecfg::check {

using ir::Action;

static std::vector<const Action*> movers_of(const ir::Recipe& recipe) {
  std::vector<const Action*> movers;
  for (const Action& action : recipe.actions) {
    if (ir::moves_learning_rate(action.effect)) {
      movers.push_back(&action);
    }
  }
  std::ranges::stable_sort(movers, {}, [](const Action* action) { return action->cadence.start.value; });
  return movers;
}

// Returns the epoch of the last change of the rate by an action. An action that sets it once changes it at its start.
static double last_move(const Action& action, double training_end) {
  if (std::holds_alternative<ir::SetLearningRate>(action.effect)) {
    return action.cadence.start.value;
  }
  return action.cadence.end_or(training_end);
}

// Reports gaps between schedules. A rate that is set once is meant to stay, so no gap follows it.
static void check_gaps(const Context& context, const std::vector<const Action*>& movers) {
  const double training_end = context.epochs.value_or(0);
  double moved_until = 0;
  bool in_schedule = false;
  for (const Action* action : movers) {
    if (in_schedule && action->cadence.start.value > moved_until) {
      context.sink.report(diag::lr_gap, action->cadence.start.span, moved_until, action->cadence.start.value);
    }
    moved_until = std::max(moved_until, last_move(*action, training_end));
    in_schedule = !std::holds_alternative<ir::SetLearningRate>(action->effect);
  }
}

// Returns true if another action changes the rate after the end of this one. A rise of any length is then a warmup.
static bool is_followed(const std::vector<const Action*>& movers, const Action& action) {
  const double end = action.cadence.end.value;
  return std::ranges::any_of(
      movers, [&](const Action* other) { return other != &action && other->cadence.start.value >= end; });
}

// Reports a rising learning rate that is not a warmup. A rise is a warmup if another action follows, or if it starts
// with the training and lasts at most a fifth of it.
static void check_rise(const Context& context, const std::vector<const Action*>& movers, const Action& action) {
  const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect);
  if (curve == nullptr || curve->kind == ir::LearningRateCurve::Kind::cyclic_linear ||
      curve->to.value <= curve->from.value) {
    return;
  }
  const bool short_one =
      action.cadence.start.value <= 0 && (!context.epochs || action.cadence.end.value <= *context.epochs / 5);
  if (!short_one && !is_followed(movers, action)) {
    const bool both = action.origin.whole_field_at(curve->from.span) != nullptr &&
                      action.origin.whole_field_at(curve->to.span) != nullptr;
    context.sink.report(diag::lr_increases, curve->to.span, curve->from.value, curve->to.value)
        .with_label(curve->from.span, "initial rate")
        .with_fix(both ? diag::Fix::unsafe().swap(curve->from.span, curve->to.span) : diag::Fix());
  }
}

// Returns the epoch of the next change of the rate by another action, from `epoch` on, or the end of training.
static double next_move(const std::vector<const Action*>& movers, const Action& self, double epoch,
                        double training_end) {
  double next = training_end;
  for (const Action* other : movers) {
    const double start = other->cadence.start.value;
    const bool active = start <= epoch && last_move(*other, training_end) > epoch;
    if (other != &self && (active || start >= epoch)) next = std::min(next, active ? epoch : start);
  }
  return next;
}

// Reports a rate that falls to 0 and stays there for at least one epoch. Ignores actions for specific parameter groups.
void check_idle_rate(const Context& context) {
  const std::vector<const Action*> movers = movers_of(context.recipe);
  const std::optional<double> range = outlasted_range(context);
  for (const Action* action : movers) {
    const auto* curve = std::get_if<ir::LearningRateCurve>(&action->effect);
    const double end = action->cadence.end.value;
    const bool ends_at_zero = curve != nullptr && action->valid && curve->groups.empty() && curve->to.value == 0 &&
                              curve->kind != ir::LearningRateCurve::Kind::cyclic_linear;
    if (!ends_at_zero || !context.epochs || end >= *context.epochs || (range && end >= *range)) {
      continue;
    }
    const double next = next_move(movers, *action, end, *context.epochs);
    if (next - end >= 1) {
      const ir::OriginField* field = action->origin.whole_field_at(action->cadence.end.span);
      const std::string later = base::python_repr(next);
      auto& report = context.sink.report(diag::rate_stays_zero, curve->to.span, end, next);
      report.with_label(action->cadence.end.span, "learning rate is 0 from here on");
      if (field != nullptr && field->evaluated) {
        report.with_help(
            fmt::format("write `{}: {}` in place of the expression, or a last rate above 0", field->name, later));
      } else if (field == nullptr) {
        report.with_help(fmt::format("end this schedule at epoch {}, or at a rate above 0", next));
      } else {
        report.with_help(fmt::format("write `{}: {}`, or a last rate above 0", field->name, later))
            .with_fix(diag::Fix::unsafe().replace(field->value.span, later));
      }
    }
  }
}

void check_learning_rate(const Context& context) {
  const std::vector<const Action*> movers = movers_of(context.recipe);
  if (movers.empty()) {
    return;
  }
  const Action& first = *movers.front();
  context.sink.report(diag::recipe_owns_lr, first.origin.span);
  if (first.cadence.start.value > 0) {
    context.sink.report(diag::no_initial_lr, first.cadence.start.span, first.cadence.start.value);
  }
  check_gaps(context, movers);
  for (const Action* action : movers) {
    check_rise(context, movers, *action);
  }
}

}  // namespace sparsecfg::check
