#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "check/check.h"

// Checks starts, ends and the length of the training (SP2).
namespace sparsecfg::check {

// Returns the longest epoch range, which determines the training length, or null.
static const ir::Action* longest_range(const ir::Recipe& recipe) {
  const ir::Action* longest = nullptr;
  for (const ir::Action& action : recipe.actions) {
    if (std::holds_alternative<ir::EpochRange>(action.effect) && action.cadence.ends() &&
        (longest == nullptr || action.cadence.end.value > longest->cadence.end.value)) {
      longest = &action;
    }
  }
  return longest;
}

// Adds labels for other modifiers that end after the range, up to a maximum number.
static void label_others(const Context& context, const ir::Action& range, diag::Diagnostic& report) {
  constexpr std::size_t kMaxLabels = 3;
  for (const ir::Action& action : context.recipe.actions) {
    const auto& end = action.cadence.end;
    if (action.valid && action.cadence.ends() && end.value > range.cadence.end.value && end.span != report.span &&
        !end.span.empty() && report.labels.size() <= kMaxLabels) {
      report.with_label(end.span, fmt::format("`{}` ends here, after the range", action.origin.class_name));
    }
  }
}

static std::string advice_on_length(double last, double range) {
  constexpr double kManyTimes = 10;
  return last >= range * kManyTimes && last >= 100
             ? fmt::format("divide {} by the steps per epoch; starts and ends are in epochs", last)
             : fmt::format("end the range at epoch {}, or the other modifier at epoch {}", last, range);
}

void check_training_length(const Context& context) {
  const auto& length = context.recipe.length;
  const ir::Action* range = longest_range(context.recipe);
  if (!length || range == nullptr || std::ceil(range->cadence.end.value) >= length->epochs) {
    return;
  }
  auto& report =
      context.sink.report(diag::epoch_range_overridden, length->span, length->epochs, range->cadence.end.value);
  report.with_help(advice_on_length(length->epochs, range->cadence.end.value))
      .with_caret(fmt::format("`{}` ends here", context.recipe.actions[length->action].origin.class_name))
      .with_label(range->cadence.end.span, "the range ends here");
  label_others(context, *range, report);
}

static bool is_range(const ir::Action& action) {
  return action.valid && std::holds_alternative<ir::EpochRange>(action.effect);
}

// Reports a range that ends before an overlapping range of the same stage. Only the last end counts. A range that ends
// where another one starts is not reported.
static void check_shorter_range(const Context& context, const ir::Action& range) {
  const double end = range.cadence.end.value;
  const auto decides = [&](const ir::Action& other) {
    const double last = other.cadence.end.value;
    return &other != &range && is_range(other) && other.cadence.ends() && other.origin.stage == range.origin.stage &&
           other.cadence.start.value < end && (last > end || (last == end && &other < &range));
  };
  const auto found = std::ranges::find_if(context.recipe.actions, decides);
  if (range.cadence.ends() && found != context.recipe.actions.end()) {
    context.sink.report(diag::several_ranges, range.cadence.end.span, end, found->cadence.end.value)
        .with_label(found->cadence.end.span, "training ends here")
        .with_help("delete this range, or correct its end and delete the other range");
  }
}

// Reports a range that starts after another modifier of its stage, unless a second range starts earlier.
static void check_start_of_range(const Context& context, const ir::Action& range) {
  const double start = range.cadence.start.value;
  const auto starts_before = [&](const ir::Action& other) {
    return other.valid && !is_range(other) && other.origin.stage == range.origin.stage &&
           other.cadence.is<ir::SinceLastUpdate>() && other.cadence.start.value < start;
  };
  const bool covered = std::ranges::any_of(context.recipe.actions, [&](const ir::Action& other) {
    return is_range(other) && other.origin.stage == range.origin.stage && other.cadence.start.value < start;
  });
  const auto found = std::ranges::find_if(context.recipe.actions, starts_before);
  if (start > 0 && !covered && found != context.recipe.actions.end()) {
    context.sink
        .report(diag::range_starts_late, range.cadence.start.span, start, found->origin.class_name,
                std::max(found->cadence.start.value, 0.0))
        .with_label(found->cadence.start.span, "starts earlier")
        .with_help("start the range at 0.0");
  }
}

void check_ranges(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    if (is_range(action)) {
      check_shorter_range(context, action);
      check_start_of_range(context, action);
    }
  }
}

static bool names_epochs(const ir::Variable& variable) {
  return variable.name.find("epoch") != std::string::npos && variable.value.number().has_value();
}

// Reports ends that equal a variable. Ignores 0 and 1, which are often equal by chance.
void check_literal_epochs(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    const ir::OriginField* field = action.origin.whole_field_at(action.cadence.end.span);
    const bool writable = field != nullptr && !context.remedies.variable.empty();
    const auto epoch = writable ? field->value.number() : std::nullopt;
    if (!epoch || *epoch <= 1) {
      continue;
    }
    const auto same = std::ranges::find_if(context.recipe.variables, [&](const ir::Variable& variable) {
      return names_epochs(variable) && variable.value.number() == epoch && variable.stage == action.origin.stage;
    });
    if (same != context.recipe.variables.end() && !field->evaluated) {
      const std::string use = fmt::format(fmt::runtime(context.remedies.variable), same->name);
      context.sink.report(diag::hardcoded_epoch, field->value.span, source::python_str(field->value), same->name)
          .with_help(fmt::format("write `{}`", use))
          .with_fix(diag::Fix::unsafe().replace(field->value.span, use));
    }
  }
}

}  // namespace sparsecfg::check
