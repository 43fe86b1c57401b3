#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/number.h"
#include "check/check.h"

// Checks starts, ends and the length of the training (SP2).
namespace sparsecfg::check {

// Returns the longest epoch range of the stage in which the training ends, or null. A range of an earlier stage says
// only when the next stage begins.
static const ir::Action* longest_range(const ir::Recipe& recipe) {
  if (!recipe.length || !recipe.length->field.empty()) return nullptr;
  const std::string& stage = recipe.actions[recipe.length->action].origin.stage;
  const ir::Action* longest = nullptr;
  for (const ir::Action& action : recipe.actions) {
    if (std::holds_alternative<ir::EpochRange>(action.effect) && action.cadence.ends() &&
        action.origin.stage == stage && (longest == nullptr || action.cadence.end.value > longest->cadence.end.value)) {
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

bool looks_like_steps(double epoch, double range) {
  constexpr double kManyTimes = 10;
  return epoch >= range * kManyTimes && epoch >= 100;
}

// Returns the variable that an epoch range ends at, or null.
static const ir::Variable* variable_of(const Context& context, const ir::Action& range) {
  const ir::OriginField* end = range.origin.whole_field_at(range.cadence.end.span);
  const auto found = std::ranges::find_if(context.recipe.variables, [&](const ir::Variable& variable) {
    return variable.value.number() == range.cadence.end.value && variable.stage == range.origin.stage &&
           variable.name.find("epoch") != std::string::npos;
  });
  // A longer range does not help if the end of the other modifier is also an expression.
  const ir::Action& longest = context.recipe.actions[context.recipe.length->action];
  const ir::OriginField* last = longest.origin.whole_field_at(longest.cadence.end.span);
  const bool moves = last != nullptr && last->evaluated;
  return end == nullptr || !end->evaluated || moves || found == context.recipe.variables.end() ? nullptr : &*found;
}

// Returns true if an action would start at an epoch or later. An action that training never reaches lacks a start, so
// this function reads the field.
static bool starts_at(const ir::Action& action, double epoch) {
  const ir::OriginField* start = action.origin.whole_field_at(action.cadence.start.span);
  return start != nullptr && start->value.number().value_or(0) >= epoch &&
         !std::holds_alternative<ir::EpochRange>(action.effect);
}

// Returns where the range must end so that nothing happens after the training.
static double needed_length(const Context& context, double last) {
  const bool one_more = std::ranges::any_of(context.recipe.actions, [&](const ir::Action& action) {
    const bool ramp = std::holds_alternative<ir::Prune>(action.effect) && action.cadence.end.value == last;
    return ramp || starts_at(action, last);
  });
  return std::ceil(last) + (one_more ? 1 : 0);
}

static std::string advice_on_length(const Context& context, const ir::Action& range, double last) {
  const double end = range.cadence.end.value;
  const ir::Variable* variable = variable_of(context, range);
  const double needed = needed_length(context, last);
  return looks_like_steps(last, end)
             ? fmt::format("divide {} by the steps per epoch; starts and ends are in epochs", last)
         : variable != nullptr ? fmt::format("write `{}: {}`, or end the other modifier at epoch {}", variable->name,
                                             base::python_repr(needed), end)
                               : fmt::format("end the range at epoch {}, or the other modifier at epoch {}",
                                             base::python_repr(needed), base::python_repr(end));
}

std::optional<double> outlasted_range(const Context& context) {
  const auto& length = context.recipe.length;
  const ir::Action* range = longest_range(context.recipe);
  const bool outlasted = length && range != nullptr && std::ceil(range->cadence.end.value) < length->epochs;
  return outlasted ? std::optional(range->cadence.end.value) : std::nullopt;
}

// Returns true if a modifier starts when the training ends. It is then reported as never reached, and a longer training
// is the remedy for both findings.
static bool lasts_until_start(const Context& context) {
  const double length = context.recipe.length->epochs;
  const auto starts = [&](const ir::Action& action) { return starts_at(action, length); };
  return (!context.epochs || *context.epochs == length) && std::ranges::any_of(context.recipe.actions, starts);
}

void check_training_length(const Context& context) {
  if (!outlasted_range(context) || lasts_until_start(context)) {
    return;
  }
  const auto& length = context.recipe.length;
  const ir::Action* range = longest_range(context.recipe);
  const ir::Variable* variable = variable_of(context, *range);
  auto& report =
      context.sink.report(diag::epoch_range_overridden, length->span, length->epochs, range->cadence.end.value);
  report.with_help(advice_on_length(context, *range, length->epochs))
      .with_caret(fmt::format("`{}` ends here", context.recipe.actions[length->action].origin.class_name))
      .with_label(variable != nullptr ? variable->value.span : range->cadence.end.span, "the range ends here");
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
    return (last > end || (last == end && &other < &range)) && other.cadence.start.value < end && is_range(other) &&
           other.cadence.ends() && other.origin.stage == range.origin.stage;
  };
  const auto found =
      range.cadence.ends() ? std::ranges::find_if(context.recipe.actions, decides) : context.recipe.actions.end();
  if (found != context.recipe.actions.end()) {
    context.sink.report(diag::several_ranges, range.cadence.end.span, end, found->cadence.end.value)
        .with_label(found->cadence.end.span, "training ends here")
        .with_help("delete this range, or correct its end and delete the other range");
  }
}

// The starts of the actions of a stage.
struct Starts {
  double first_range = std::numeric_limits<double>::infinity();
  std::vector<const ir::Action*> earliest;  // other actions that start before all previous ones
};

static std::map<std::string, Starts> starts_of(const ir::Recipe& recipe) {
  std::map<std::string, Starts> out;
  for (const ir::Action& action : recipe.actions) {
    Starts& stage = out[action.origin.stage];
    const double start = action.cadence.start.value;
    if (is_range(action)) {
      stage.first_range = std::min(stage.first_range, start);
    } else if (action.valid && action.cadence.is<ir::SinceLastUpdate>() &&
               (stage.earliest.empty() || !(start >= stage.earliest.back()->cadence.start.value))) {
      stage.earliest.push_back(&action);
    }
  }
  return out;
}

// Reports a range that starts after another modifier of its stage, unless a second range starts earlier.
static void check_start_of_range(const Context& context, const ir::Action& range, const Starts& stage) {
  const double start = range.cadence.start.value;
  const auto found =
      std::ranges::find_if(stage.earliest, [&](const ir::Action* each) { return each->cadence.start.value < start; });
  if (start > 0 && !(stage.first_range < start) && found != stage.earliest.end()) {
    const ir::Action& other = **found;
    context.sink
        .report(diag::range_starts_late, range.cadence.start.span, start, other.origin.class_name,
                std::max(other.cadence.start.value, 0.0))
        .with_label(other.cadence.start.span, "starts earlier")
        .with_help("start the range at 0.0")
        .not_beside(diag::stages_overlap);
  }
}

// Returns true for the ramp of a pruner within the first epoch, as fractions of a training are written.
static bool is_within_first_epoch(const ir::Action& action) {
  const ir::Cadence& cadence = action.cadence;
  return std::holds_alternative<ir::Prune>(action.effect) && action.valid && cadence.ends() &&
         cadence.start.value >= 0 && cadence.end.value <= 1 && cadence.end.value > cadence.start.value;
}

// Reports pruning that is over in the first epoch of a long training, with fractions of an epoch. All ramps must be so.
static void check_fractions(const Context& context, const ir::Action& range) {
  constexpr double kLongTraining = 5;
  const double length = range.cadence.end.value;
  const ir::Action* first = nullptr;
  for (const ir::Action& action : context.recipe.actions) {
    if (!std::holds_alternative<ir::Prune>(action.effect) || !action.cadence.ends()) continue;
    if (!is_within_first_epoch(action)) return;
    if (first == nullptr) first = &action;
  }
  if (length < kLongTraining || first == nullptr || first->cadence.end.value == 1 || first->cadence.end.span.empty())
    return;
  const auto scaled = [&](double fraction) { return base::python_repr(std::round(fraction * length * 100) / 100); };
  const auto& [start, end] = std::pair(first->cadence.start, first->cadence.end);
  diag::Fix fix = diag::Fix::unsafe().replace(end.span, scaled(end.value));
  if (start.value > 0 && !start.span.empty()) fix.replace(start.span, scaled(start.value));
  context.sink.report(diag::fractions_of_training, end.span, end.value, length)
      .with_label(range.cadence.end.span, "training ends here")
      .with_help(fmt::format("write `start_epoch: {}` and `end_epoch: {}`, and scale the other epochs as well, if they "
                             "are fractions of the training",
                             scaled(start.value), scaled(end.value)))
      .with_fix(std::move(fix));
}

void check_ranges(const Context& context) {
  if (const ir::Action* longest = longest_range(context.recipe)) check_fractions(context, *longest);
  const std::map<std::string, Starts> starts = starts_of(context.recipe);
  for (const ir::Action& action : context.recipe.actions) {
    if (is_range(action)) {
      check_shorter_range(context, action);
      check_start_of_range(context, action, starts.at(action.origin.stage));
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
