#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "check/check.h"
#include "ir/describe.h"

// Reports actions whose order causes conflicts (SP7).
namespace sparsecfg::check {

using ir::Action;

static bool prunes_by_curve(const Action& action) { return std::holds_alternative<ir::Prune>(action.effect); }

// Reports actions that change the same value and run in a different order than in the file.
static void check_file_order(const Context& context, auto moves) {
  const Action* before = nullptr;
  for (const Action& action : context.recipe.actions) {
    if (action.origin.ordinal == 0 || !moves(action)) {
      continue;
    }
    if (before != nullptr && before->origin.ordinal > action.origin.ordinal) {
      context.sink
          .report(diag::file_order_is_not_run_order, before->origin.span, ir::numbered_name(before->origin),
                  ir::numbered_name(action.origin))
          .with_label(action.origin.span, "acts later in each step");
      return;
    }
    before = &action;
  }
}

// Returns the pruners that end later than all pruners before them in the file.
static std::vector<const Action*> lasting_pruners(const Context& context) {
  std::vector<const Action*> out;
  for (const Action& action : context.recipe.actions) {
    const double end = action.cadence.end.value;
    const bool prunes =
        std::holds_alternative<ir::Prune>(action.effect) && acts_by_epochs(action) && action.cadence.ends();
    if (prunes && (out.empty() || end > out.back()->cadence.end.value)) out.push_back(&action);
  }
  return out;
}

// Reports masks that still change when observers measure the weights. Reports the first late pruner in the
// file. `pruners` comes from `lasting_pruners`; a pruner that is not in it is never the first.
static void check_quantized_too_early(const Context& context, const Action& quantize,
                                      const std::vector<const Action*>& pruners) {
  const double start = quantize.cadence.start.value;
  const auto end_of = [](const Action* action) { return action->cadence.end.value; };
  const auto late = std::ranges::upper_bound(pruners, start, {}, end_of);
  const auto range = outlasted_range(context);
  if (late != pruners.end() && start >= 0 && !(range && looks_like_steps(end_of(*late), *range))) {
    const source::Located<double>& place = quantize.cadence.start;
    const double last = pruners.back()->cadence.end.value;
    auto& report = context.sink.report(diag::quantize_before_pruning_ends, place.span, start, end_of(*late))
                       .with_label((*late)->cadence.end.span, "pruning ends here");
    if (quantize.origin.stage != (*late)->origin.stage) report.not_beside(diag::stages_overlap);
    if (!context.epochs || last < *context.epochs) {
      advise_value(report, quantize, place.span, base::python_repr(last), ", the end of the pruning");
    }
  }
}

// Returns true if the quantizer applies only to listed modules.
static bool lists_modules(const Action& action) {
  const auto& within = std::get<ir::Quantize>(action.effect).within;
  return within && !within->terms.empty();
}

// Reports a second quantizer in the same run, which gets an already quantized model.
static void check_second_quantizer(const Context& context) {
  const Action* first = nullptr;
  for (const Action& action : context.recipe.actions) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    if (quantize == nullptr || quantize->replaces || !acts_by_epochs(action)) {
      continue;
    }
    const bool disjoint = first != nullptr && lists_modules(*first) && lists_modules(action);
    if (first != nullptr && !disjoint && first->origin.stage == action.origin.stage) {
      context.sink
          .report(diag::multiple_quantizers, action.origin.span,
                  "the model is already quantized by another modifier when this one starts")
          .with_severity(diag::Severity::warning)
          .with_label(first->origin.span, "first quantizer")
          .with_help(context.remedies.layer_schemes.empty()
                         ? ""
                         : fmt::format("keep one quantizer and put the differences between layers into its {}",
                                       context.remedies.layer_schemes));
      return;
    }
    first = &action;
  }
}

void check_order(const Context& context) {
  check_file_order(context, prunes_by_curve);
  check_file_order(context, [](const Action& action) { return ir::moves_learning_rate(action.effect); });
  check_second_quantizer(context);
  const std::vector<const Action*> pruners = lasting_pruners(context);
  for (const Action& action : context.recipe.actions) {
    if (acts_by_epochs(action) && std::holds_alternative<ir::Quantize>(action.effect)) {
      check_quantized_too_early(context, action, pruners);
    }
  }
}

}  // namespace sparsecfg::check
