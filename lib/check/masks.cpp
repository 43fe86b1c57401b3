#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "check/check.h"

// When masks are in force: what is pruned and then let go, and what is to be kept too late (SP7).
namespace sparsecfg::check {

using ir::Action;
using ir::Cadence;

static bool has_window(const Action& action) {
  return action.valid && (action.cadence.kind == Cadence::Kind::since_last_update ||
                          action.cadence.kind == Cadence::Kind::whole_epochs);
}

static bool holds_mask(const Action& action) { return std::holds_alternative<ir::HoldMask>(action.effect); }

// Returns true if a mask that only keeps zeros is in force at an epoch, but for `self`. Held from later on, the zeros
// are gone.
static bool is_held_at(const ir::Recipe& recipe, double epoch, const Action& self) {
  return std::ranges::any_of(recipe.actions, [&](const Action& action) {
    const double end = action.cadence.end.value;
    return &action != &self && holds_mask(action) && (end < 0 || end > epoch) && action.cadence.start.value <= epoch;
  });
}

// A mask that is taken away while training goes on.
static void check_mask_lost(const Context& context, const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  // Masks that are drawn anew every few steps are not meant to stay.
  const bool stays = prune == nullptr ? !holds_mask(action) : prune->hold_after_end || action.cadence.within > 0;
  const double end = action.cadence.end.value;
  if (!stays && end > action.cadence.start.value && end >= 0 && context.epochs && end < *context.epochs &&
      !is_held_at(context.recipe, end, action)) {
    context.sink.report(diag::mask_not_held, action.cadence.end.span, end, *context.epochs)
        .with_help(prune == nullptr ? "let it end with the training"
                   : action.cadence.kind == Cadence::Kind::whole_epochs
                       ? "keep the mask for good with `keep_mask: true`"
                       : "add a `ConstantPruningModifier` that starts by then, or leave the mask enabled");
  }
}

// The epoch from which on anything makes or keeps zeros; infinity if nothing does.
static double first_mask_of(const ir::Recipe& recipe) {
  double first = std::numeric_limits<double>::infinity();
  for (const Action& action : recipe.actions) {
    if (ir::makes_masks(action.effect)) first = std::min(first, std::max(action.cadence.start.value, 0.0));
  }
  return first;
}

// A mask that is to keep the zeros of a model that is sparse already, and starts while it is trained.
static void check_mask_late(const Context& context, const Action& action, double first_mask) {
  const double start = action.cadence.start.value;
  const double end = action.cadence.end.value;
  if (holds_mask(action) && start > 0 && (end < 0 || end > start) && context.epochs && start < *context.epochs &&
      first_mask >= start) {
    context.sink.report(diag::mask_starts_late, action.cadence.start.span, start).with_help("start it at epoch 0");
  }
}

void check_masks(const Context& context) {
  const double first_mask = first_mask_of(context.recipe);
  for (const Action& action : context.recipe.actions) {
    if (has_window(action)) {
      check_mask_lost(context, action);
      check_mask_late(context, action, first_mask);
    }
  }
}

}  // namespace sparsecfg::check
