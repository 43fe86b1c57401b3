#include <fmt/core.h>

#include <algorithm>

#include "check/check.h"

// Checks actions that disturb each other by their order (SP7).
namespace sparsecfg::check {

using ir::Action;

static std::string name_of(const Action& action) {
  return fmt::format("{}#{}", action.origin.class_name, action.origin.ordinal);
}

static bool prunes_by_curve(const Action& action) { return std::holds_alternative<ir::Prune>(action.effect); }

// The order of the file is not that of the run, where both move the same thing.
static void check_file_order(const Context& context, auto moves) {
  const Action* before = nullptr;
  for (const Action& action : context.recipe.actions) {
    if (action.origin.ordinal == 0 || !moves(action)) {
      continue;
    }
    if (before != nullptr && before->origin.ordinal > action.origin.ordinal) {
      context.sink.report(diag::file_order_is_not_run_order, before->origin.span, name_of(*before), name_of(action))
          .with_label(action.origin.span, "this one comes later in a step");
      return;
    }
    before = &action;
  }
}

static bool is_since_last_update(const Action& action) {
  return action.valid && action.cadence.kind == ir::Cadence::Kind::since_last_update;
}

// Masks that still change when observers measure the weights.
static void check_quantized_too_early(const Context& context, const Action& quantize) {
  for (const Action& action : context.recipe.actions) {
    const bool prunes = std::holds_alternative<ir::Prune>(action.effect) && is_since_last_update(action);
    const double end = action.cadence.end.value;
    if (prunes && end > quantize.cadence.start.value && end >= 0 && quantize.cadence.start.value >= 0) {
      context.sink
          .report(diag::quantize_before_pruning_ends, quantize.cadence.start.span, quantize.cadence.start.value, end)
          .with_label(action.cadence.end.span, "pruning goes on to here");
      return;
    }
  }
}

static bool holds_later(const ir::Recipe& recipe, double epoch) {
  return std::ranges::any_of(recipe.actions, [&](const Action& action) {
    const double end = action.cadence.end.value;
    // If the mask is held only later, the zeros are gone by then.
    return std::holds_alternative<ir::HoldMask>(action.effect) && (end < 0 || end > epoch) &&
           action.cadence.start.value <= epoch;
  });
}

// A mask that is taken away while training goes on.
static void check_mask_lost(const Context& context, const Action& action) {
  const auto& prune = std::get<ir::Prune>(action.effect);
  const double end = action.cadence.end.value;
  if (!prune.hold_after_end && end >= 0 && context.epochs && end < *context.epochs &&
      !holds_later(context.recipe, end)) {
    context.sink.report(diag::mask_not_held, action.cadence.end.span, end, *context.epochs)
        .with_help("add a `ConstantPruningModifier` that starts by then, or leave the mask enabled");
  }
}

void check_order(const Context& context) {
  check_file_order(context, prunes_by_curve);
  check_file_order(context, [](const Action& action) { return ir::moves_learning_rate(action.effect); });
  for (const Action& action : context.recipe.actions) {
    if (!is_since_last_update(action)) {
      continue;
    }
    if (std::holds_alternative<ir::Quantize>(action.effect)) {
      check_quantized_too_early(context, action);
    } else if (std::holds_alternative<ir::Prune>(action.effect)) {
      check_mask_lost(context, action);
    }
  }
}

}  // namespace sparsecfg::check
