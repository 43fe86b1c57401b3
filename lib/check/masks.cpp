#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/number.h"
#include "check/check.h"

// Reports masks that are removed before the training ends, and masks that start too late (SP7).
namespace sparsecfg::check {

using ir::Action;
using ir::Cadence;

static bool has_window(const Action& action) {
  return action.valid && (action.cadence.is<ir::SinceLastUpdate>() || action.cadence.is<ir::WholeEpochs>());
}

static bool holds_mask(const Action& action) { return std::holds_alternative<ir::HoldMask>(action.effect); }

// Returns true if a mask other than `self` that only keeps zeros is in force at an epoch. A mask that starts later
// finds no zeros.
static bool is_held_at(const ir::Recipe& recipe, double epoch, const Action& self) {
  return std::ranges::any_of(recipe.actions, [&](const Action& action) {
    const double end = action.cadence.end.value;
    return &action != &self && holds_mask(action) && end > epoch && action.cadence.start.value <= epoch;
  });
}

// Returns true if masks are computed again every few steps, so that they are not meant to stay.
static bool recomputes(const Cadence& cadence) {
  const auto* epochs = std::get_if<ir::WholeEpochs>(&cadence.rhythm);
  return epochs != nullptr && epochs->within > 0;
}

// Reports a mask that is removed before the training ends.
static void check_mask_lost(const Context& context, const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  const bool stays = prune == nullptr ? !holds_mask(action) : prune->hold_after_end || recomputes(action.cadence);
  const double end = action.cadence.end.value;
  if (!stays && end > action.cadence.start.value && context.epochs && end < *context.epochs &&
      !is_held_at(context.recipe, end, action)) {
    context.sink.report(diag::mask_not_held, action.cadence.end.span, end, *context.epochs)
        .with_help(prune == nullptr
                       ? fmt::format("write `end_epoch: {}`, when training ends", base::python_repr(*context.epochs))
                       : fmt::format(fmt::runtime(context.remedies.keep_mask), end));
  }
}

// Returns the first epoch at which an action creates or keeps zeros, or infinity.
static double first_mask_of(const ir::Recipe& recipe) {
  double first = std::numeric_limits<double>::infinity();
  for (const Action& action : recipe.actions) {
    if (ir::makes_masks(action.effect)) first = std::min(first, std::max(action.cadence.start.value, 0.0));
  }
  return first;
}

// Reports a mask for an already sparse model that starts after the training has started.
static void check_mask_late(const Context& context, const Action& action, double first_mask) {
  const double start = action.cadence.start.value;
  const double end = action.cadence.end.value;
  const bool sound = !context.recipe.incomplete && !context.sink.has_errors();
  if (sound && holds_mask(action) && start > 0 && end > start && context.epochs && start < *context.epochs &&
      first_mask >= start) {
    context.sink.report(diag::mask_starts_late, action.cadence.start.span, start)
        .with_help("start the modifier at epoch 0");
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
