#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"

// Checks for values that the constructors of learning rate schedulers reject (docs/semantics/distiller.md#b6).
namespace sparsecfg::dialect::distiller {

static void check_milestones(Component& scheduler, diag::Sink& sink) {
  for (const Value& milestone : milestones_of(scheduler)) {
    if (!milestone.number()) {
      reject(scheduler, sink, milestone, "milestones", "a list of numbers");
      return;
    }
  }
}

// A scheduler that counts its steps ignores milestones that are never equal to a count.
static void check_counted(const Component& scheduler, diag::Sink& sink) {
  for (const Value& milestone : milestones_of(scheduler)) {
    const auto number = milestone.number();
    if (!number || *number < 0 || *number != std::floor(*number)) {
      sink.report(diag::milestone_outside_window, milestone.span, source::python_str(milestone),
                  "reached: the scheduler counts its steps")
          .with_severity(diag::Severity::warning)
          .with_help("write an int of 0 or more, without quotes");
    }
  }
}

// Returns the numbers of a list; nullopt if an item is not a number.
static std::optional<std::vector<double>> check_list(Component& scheduler, diag::Sink& sink, std::string_view name) {
  const Field* field = scheduler.fields.readable(name);
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  std::vector<double> numbers;
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto number = (*list)[at].number();
    if (!number) {
      reject(scheduler, sink, (*list)[at], name, "a list of numbers");
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return list == nullptr ? std::nullopt : std::optional(numbers);
}

DIAGNOSTIC(SP512, milestones_gammas_length, error, (std::size_t, std::size_t),
           "the number of milestones ({}) differs from the number of gammas ({})",
           "`MultiStepMultiGammaLR` multiplies the rate by one gamma at each milestone. It rejects lists of different "
           "lengths.",
           "write one gamma for each milestone")

DIAGNOSTIC(SP517, milestones_unsorted, error, (), "the milestones must be in ascending order",
           "`MultiStepMultiGammaLR` rejects milestones that are not in order. (`MultiStepLR` sorts them.)",
           "list the milestones in ascending order")

static void check_gammas(Component& scheduler, diag::Sink& sink) {
  const auto milestones = check_list(scheduler, sink, "milestones");
  const auto gammas = check_list(scheduler, sink, "gammas");
  if (!milestones || !gammas) {
    return;
  }
  const Span place = scheduler.fields.place("milestones");
  if (milestones->size() != gammas->size()) {
    scheduler.valid = false;
    sink.report(diag::milestones_gammas_length, place, milestones->size(), gammas->size())
        .with_label(scheduler.fields.place("gammas"), "list of gammas");
  } else if (!std::ranges::is_sorted(*milestones)) {
    scheduler.valid = false;
    sink.report(diag::milestones_unsorted, place);
  }
}

// Checks for an int of at least 1, since torch checks the type.
static void check_whole(Component& scheduler, diag::Sink& sink, std::string_view name) {
  const Field* field = scheduler.fields.readable(name);
  const auto* whole = field == nullptr ? nullptr : field->value.get<std::int64_t>();
  const bool fits = field == nullptr || (whole != nullptr && *whole > 0) ||
                    (field->value.get<bool>() != nullptr && python::is_true(field->value));
  if (!fits) {
    reject(scheduler, sink, field->value, name, "an int above 0");
  }
}

// torch requires the length as one number or as the product of two.
static void check_length(Component& scheduler, diag::Sink& sink) {
  const auto given = [&](std::string_view name) {
    const Field* field = scheduler.fields.find(name);
    return field != nullptr && !field->value.is_null();
  };
  if (!given("total_steps") && !(given("epochs") && given("steps_per_epoch"))) {
    scheduler.valid = false;
    sink.report(diag::missing_required, scheduler.fields.key, scheduler.spec->name, "total_steps");
  }
}

// torch requires ints above 0.
static void check_cycle(Component& scheduler, diag::Sink& sink) {
  check_length(scheduler, sink);
  const Field* total = scheduler.fields.readable("total_steps");
  if (total != nullptr && !total->value.is_null()) {
    check_whole(scheduler, sink, "total_steps");
  } else {
    check_whole(scheduler, sink, "epochs");
    check_whole(scheduler, sink, "steps_per_epoch");
  }
}

// StepLR, CosineAnnealingLR and LinearLR keep the rate at epoch 0 without computing it.
static bool is_built_with_rate(const Component& scheduler) {
  switch (scheduler.spec->kind.as<ClassKind>()) {
    case ClassKind::polynomial:
    case ClassKind::cyclic:
    case ClassKind::one_cycle: return true;
    default: return false;
  }
}

DIAGNOSTIC(SP518, rate_not_computable, error, (Text, Text), "`{}` cannot compute the learning rate of epoch {}",
           "At that epoch the formula of the scheduler fails. It divides by zero, returns a complex number (a "
           "fractional power of the remainder after `T_max`), or exceeds its number of steps.",
           "end the policy before this epoch, or make the scheduler longer")

// The constructor computes the rate of epoch 0. Distiller also constructs schedulers that no policy uses.
static void check_first_rate(Component& scheduler, diag::Sink& sink) {
  if (!scheduler.valid || !scheduler.course || !is_built_with_rate(scheduler) || !ir::fails_at(*scheduler.course, 0)) {
    return;
  }
  scheduler.valid = false;
  sink.report(diag::rate_not_computable, scheduler.fields.key, scheduler.spec->name, "0")
      .with_help("change its arguments: the constructor divides by 0");
}

void check_scheduler(Component& scheduler, const Context& context) {
  switch (scheduler.spec->kind.as<ClassKind>()) {
    case ClassKind::multi_step:
      context.is_ai8x() ? check_counted(scheduler, context.sink) : check_milestones(scheduler, context.sink);
      break;
    case ClassKind::multi_gamma: check_gammas(scheduler, context.sink); break;
    case ClassKind::warm_restarts:
      check_whole(scheduler, context.sink, "T_0");
      check_whole(scheduler, context.sink, "T_mult");
      break;
    case ClassKind::one_cycle: check_cycle(scheduler, context.sink); break;
    default: break;
  }
  check_first_rate(scheduler, context.sink);
}

}  // namespace sparsecfg::dialect::distiller
