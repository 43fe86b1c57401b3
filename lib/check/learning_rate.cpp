#include <algorithm>
#include <vector>

#include "base/overloaded.h"
#include "check/check.h"

// Who moves the learning rate, and when nobody does (SP5).
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

// Until when an action keeps moving the rate; one that sets it once moves it at its start.
static double last_move(const Action& action, double training_end) {
  if (std::holds_alternative<ir::SetLearningRate>(action.effect)) {
    return action.cadence.start.value;
  }
  return action.cadence.end.value < 0 ? training_end : action.cadence.end.value;
}

// Set rates are meant to stay, so a gap is one between courses.
static void check_gaps(const Context& context, const std::vector<const Action*>& movers) {
  const double training_end = context.epochs.value_or(0);
  double moved_until = 0;
  bool course = false;
  for (const Action* action : movers) {
    if (course && action->cadence.start.value > moved_until) {
      context.sink.report(diag::lr_gap, action->cadence.start.span, moved_until, action->cadence.start.value);
    }
    moved_until = std::max(moved_until, last_move(*action, training_end));
    course = !std::holds_alternative<ir::SetLearningRate>(action->effect);
  }
}

// Returns true if another action takes over the rate where this one ends, which makes a rise of any length a warm-up.
static bool is_followed(const std::vector<const Action*>& movers, const Action& action) {
  const double end = action.cadence.end.value;
  return std::ranges::any_of(
      movers, [&](const Action* other) { return other != &action && end >= 0 && other->cadence.start.value >= end; });
}

// A rise is a warm-up if another action takes over at its end, or if it begins with the training and takes no more
// than a fifth of it.
static void check_rise(const Context& context, const std::vector<const Action*>& movers, const Action& action) {
  const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect);
  if (curve == nullptr || curve->kind == ir::LearningRateCurve::Kind::cyclic_linear ||
      curve->to.value <= curve->from.value) {
    return;
  }
  const bool short_one =
      action.cadence.start.value <= 0 && (!context.epochs || action.cadence.end.value <= *context.epochs / 5);
  if (!short_one && !is_followed(movers, action)) {
    const bool both = action.origin.find("init_lr") != nullptr && action.origin.find("final_lr") != nullptr;
    context.sink.report(diag::lr_increases, curve->to.span, curve->from.value, curve->to.value)
        .with_label(curve->from.span, "from here")
        .with_fix(both ? diag::Fix::unsafe().swap(curve->from.span, curve->to.span) : diag::Fix());
  }
}

// The epoch of the next move of the rate, from `epoch` on, by another action; the end of training where there is none.
static double next_move(const std::vector<const Action*>& movers, const Action& self, double epoch,
                        double training_end) {
  double next = training_end;
  for (const Action* other : movers) {
    const double start = other->cadence.start.value;
    const bool goes_on = start <= epoch && last_move(*other, training_end) > epoch;
    if (other != &self && (goes_on || start >= epoch)) next = std::min(next, goes_on ? epoch : start);
  }
  return next;
}

// A rate that falls to 0 and stays there for an epoch or more. What has its own parameter groups is not followed.
void check_idle_rate(const Context& context) {
  const std::vector<const Action*> movers = movers_of(context.recipe);
  for (const Action* action : movers) {
    const auto* curve = std::get_if<ir::LearningRateCurve>(&action->effect);
    const double end = action->cadence.end.value;
    const bool ends_at_zero = curve != nullptr && action->valid && curve->groups.empty() && curve->to.value == 0 &&
                              curve->kind != ir::LearningRateCurve::Kind::cyclic_linear;
    if (!ends_at_zero || !context.epochs || end < 0 || end >= *context.epochs) {
      continue;
    }
    const double next = next_move(movers, *action, end, *context.epochs);
    if (next - end >= 1) {
      context.sink.report(diag::rate_stays_zero, curve->to.span, end, next)
          .with_label(action->cadence.end.span, "it is 0 from here on")
          .with_help("let it end later, or at a rate above 0");
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
