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

// Returns true if masks to a fixed sparsity are computed again every few steps, so that they are not meant to stay.
static bool recomputes(const Action& action, const ir::Prune& prune) {
  const auto* epochs = std::get_if<ir::WholeEpochs>(&action.cadence.rhythm);
  return epochs != nullptr && epochs->within > 0 && ir::initial_sparsity(prune.curve) == nullptr;
}

// Returns the argument of an action that stops the mask from staying, such as `mask_on_forward_only`; null: none.
static const source::Entry* releasing_argument(const Context& context, const Action& action) {
  for (const ir::OriginField& field : action.origin.fields) {
    const auto* map = field.value.get<source::Map>();
    if (map == nullptr || context.remedies.mask_release.empty()) continue;
    for (const source::Entry& entry : *map) {
      const auto* name = entry.first.get<std::string>();
      if (name != nullptr && *name == context.remedies.mask_release) return &entry;
    }
  }
  return nullptr;
}

// Returns the written field that removes the mask of a pruner at its end; null if there is none.
static const ir::OriginField* field_that_removes(const Context& context, const Action& action) {
  const std::string_view name = context.remedies.mask_switch;
  return name.empty() || !std::holds_alternative<ir::Prune>(action.effect) ? nullptr : action.origin.find(name);
}

// Reports a mask that is removed before the training ends.
static void check_mask_lost(const Context& context, const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  const bool stays = prune == nullptr ? !holds_mask(action) : prune->hold_after_end || recomputes(action, *prune);
  const double end = action.cadence.end.value;
  if (!stays && end > action.cadence.start.value && context.epochs && end < *context.epochs &&
      !is_held_at(context.recipe, end, action)) {
    auto& report = context.sink.report(diag::mask_not_held, action.cadence.end.span, end, *context.epochs);
    report.with_help(prune == nullptr
                         ? fmt::format("write `end_epoch: {}`, when training ends", base::python_repr(*context.epochs))
                         : fmt::format(fmt::runtime(context.remedies.keep_mask), end));
    if (const source::Entry* release = releasing_argument(context, action)) {
      report.with_label(report.span, "the last epoch of the mask")
          .with_fix(diag::Fix::unsafe().add_entry(release->first.span, std::string(context.remedies.mask_keeper)));
      report.span = release->first.span;
    } else if (const ir::OriginField* field = field_that_removes(context, action)) {
      report.with_label(report.span, "the last epoch of the mask");
      report.span = field->value.span;
    }
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
    auto& report = context.sink.report(diag::mask_starts_late, action.cadence.start.span, start);
    report.with_help("start the modifier at epoch 0").not_beside(diag::stages_overlap);
    advise_value(report, action, action.cadence.start.span, "0.0");
    if (!action.origin.stage.empty()) report.with_fix({});  // the epochs of a stage belong together
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
