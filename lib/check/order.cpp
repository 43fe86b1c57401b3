#include <fmt/core.h>

#include <algorithm>
#include <vector>

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

// The pruners that could still be at work at some time: those that end later than all before them in the file.
static std::vector<const Action*> lasting_pruners(const Context& context) {
  std::vector<const Action*> out;
  for (const Action& action : context.recipe.actions) {
    const double end = action.cadence.end.value;
    const bool prunes = std::holds_alternative<ir::Prune>(action.effect) && is_since_last_update(action) && end >= 0;
    if (prunes && (out.empty() || end > out.back()->cadence.end.value)) out.push_back(&action);
  }
  return out;
}

// Masks that still change when observers measure the weights. The first pruner of the file that ends too late is
// told: one that does not last longer than one before it is never the first.
static void check_quantized_too_early(const Context& context, const Action& quantize,
                                      const std::vector<const Action*>& pruners) {
  const double start = quantize.cadence.start.value;
  const auto end_of = [](const Action* action) { return action->cadence.end.value; };
  const auto late = std::ranges::upper_bound(pruners, start, {}, end_of);
  if (late != pruners.end() && start >= 0) {
    context.sink.report(diag::quantize_before_pruning_ends, quantize.cadence.start.span, start, end_of(*late))
        .with_label((*late)->cadence.end.span, "pruning goes on to here");
  }
}

// Modules that a quantizer names itself; null where it quantizes all.
static const ir::OriginField* parts_of(const Action& quantize) { return quantize.origin.find("submodules"); }

// A second quantizer of the same run, which meets a model that is quantized already.
static void check_second_quantizer(const Context& context) {
  const Action* first = nullptr;
  for (const Action& action : context.recipe.actions) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    if (quantize == nullptr || quantize->replaces || !is_since_last_update(action)) {
      continue;
    }
    const bool apart = first != nullptr && parts_of(*first) != nullptr && parts_of(action) != nullptr;
    if (first != nullptr && !apart && first->origin.stage == action.origin.stage) {
      context.sink
          .report(diag::multiple_quantizers, action.origin.span,
                  "two modifiers quantize the model, and the second one meets what the first has made of it")
          .with_severity(diag::Severity::warning)
          .with_label(first->origin.span, "the other one")
          .with_help("keep one, and write what differs between layers into its `scheme_overrides`");
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
    if (is_since_last_update(action) && std::holds_alternative<ir::Quantize>(action.effect)) {
      check_quantized_too_early(context, action, pruners);
    }
  }
}

}  // namespace sparsecfg::check
