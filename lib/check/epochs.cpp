#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "check/check.h"

// Starts, ends and the length of the training (SP2).
namespace sparsecfg::check {

// The range that says how long to train, if any does: the longest one.
static const ir::Action* longest_range(const ir::Recipe& recipe) {
  const ir::Action* longest = nullptr;
  for (const ir::Action& action : recipe.actions) {
    if (std::holds_alternative<ir::EpochRange>(action.effect) &&
        (longest == nullptr || action.cadence.end.value > longest->cadence.end.value)) {
      longest = &action;
    }
  }
  return longest;
}

void check_training_length(const Context& context) {
  const auto& length = context.recipe.length;
  const ir::Action* range = longest_range(context.recipe);
  if (!length || range == nullptr || range->cadence.end.value < 0 ||
      std::ceil(range->cadence.end.value) >= length->epochs) {
    return;
  }
  context.sink.report(diag::epoch_range_overridden, length->span, length->epochs, range->cadence.end.value)
      .with_caret(fmt::format("`{}` goes on to here", context.recipe.actions[length->action].origin.class_name))
      .with_label(range->cadence.end.span, "the range ends here");
}

static bool names_epochs(const ir::Variable& variable) {
  return variable.name.find("epoch") != std::string::npos && variable.value.number().has_value();
}

// Only whole epochs above 1: any recipe has zeros and ones at random.
void check_literal_epochs(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    const ir::OriginField* field = action.origin.find("end_epoch");
    const auto epoch = field == nullptr ? std::nullopt : field->value.number();
    if (!epoch || *epoch <= 1) {
      continue;
    }
    const auto same = std::ranges::find_if(context.recipe.variables, [&](const ir::Variable& variable) {
      return names_epochs(variable) && variable.value.number() == epoch && variable.stage == action.origin.stage;
    });
    if (same != context.recipe.variables.end() && !field->evaluated) {
      context.sink.report(diag::hardcoded_epoch, field->value.span, source::python_str(field->value), same->name)
          .with_help(fmt::format("write `eval({})`", same->name))
          .with_fix(diag::Fix::unsafe().replace(field->value.span, fmt::format("eval({})", same->name)));
    }
  }
}

}  // namespace sparsecfg::check
