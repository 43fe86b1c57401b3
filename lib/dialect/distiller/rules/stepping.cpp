#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/fixes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"
#include "ir/curve.h"

// Checks the epochs after which a learning rate scheduler is stepped against the steps that it was written for
// (docs/semantics/distiller.md#c9).
namespace sparsecfg::dialect::distiller {

// Returns true for a policy that steps a scheduler whose rates are known.
static bool steps_known_rate(const Policy& policy) {
  return policy.kind != nullptr && class_section(policy.kind->section) == Section::lr_schedulers && policy.valid &&
         policy.component != nullptr && policy.component->valid && policy.component->course;
}

DIAGNOSTIC(SP338, two_epochs_no_range, silent_warning, (double, double),
           "the scheduler is stepped only after the epochs {} and {}, not between them",
           "A list of `epochs` contains each epoch in which a policy is active. Two epochs are not the first and the "
           "last one of a range. The rate stays the same until the second of them.",
           "write `starting_epoch`, `ending_epoch` and `frequency: 1` instead of `epochs`")

// Returns true if the rate of a scheduler that is stepped in every epoch changes between two epochs.
static bool changes_between(const ir::EpochRateCurve& course, double first, double last) {
  const auto before = ir::rate_at(course, 1.0, first + 1);
  const auto differs = [&](double epoch) {
    const auto rate = ir::rate_at(course, 1.0, epoch);
    return rate && *rate != *before;
  };
  constexpr double kMost = 10'000;  // epochs
  for (double epoch = first + 2; before && epoch < std::min(last, first + kMost); ++epoch) {
    if (differs(epoch)) return true;
  }
  return false;
}

// A list of two epochs is probably a range if the scheduler changes the rate between them.
static void check_two_epochs(const Policy& policy, const std::vector<Policy>& policies, const ReadOptions& options,
                             diag::Sink& sink) {
  if (!policy.lists || policy.epochs.size() != 2) return;
  const double first = policy.epochs[0].value;
  const double last = policy.epochs[1].value;
  const bool shared = std::ranges::any_of(
      policies, [&](const Policy& other) { return &other != &policy && other.component == policy.component; });
  const bool whole = first >= 0 && first == std::floor(first) && last == std::floor(last);
  if (shared || !whole || last - first < 3 || !changes_between(*policy.component->course, first, last)) return;
  const double end = options.epochs == last ? last : last + 1;
  const Field& list = *policy.entry.find("epochs");
  sink.report(diag::two_epochs_no_range, list.value.span, first, last)
      .with_help(fmt::format("write `starting_epoch: {}`, `ending_epoch: {}` and `frequency: 1` instead of `epochs`",
                             first, end))
      .with_fix(diag::Fix::unsafe()
                    .content(list.key, "starting_epoch")
                    .replace(list.value.span, fmt::format("{}", first))
                    .add_entry(list.key, "frequency: 1")
                    .add_entry(list.key, fmt::format("ending_epoch: {}", end)));
}

DIAGNOSTIC(
    SP538, cycle_counts_epochs, silent_warning, (Text, Text, Text), "`{}` makes {} of {}, one per epoch",
    "Distiller steps each scheduler once per epoch. torch documents the lengths of `OneCycleLR` and `CyclicLR` in "
    "batches, so a length in batches covers many times the epochs of the run.",
    "write the length in epochs")

// Returns the number of epochs until the last step of a scheduler.
static double epochs_of_steps(const Component& scheduler, const std::vector<Policy>& policies,
                              const std::optional<double>& epochs) {
  double out = 0;
  for (const Policy& policy : policies) {
    if (steps_known_rate(policy) && policy.component == &scheduler)
      out = std::max(out, last_active_before(policy, epochs) + 1);
  }
  return out;
}

static void report_one_cycle(const Component& scheduler, double total, double steps, diag::Sink& sink) {
  const Field* per_epoch = scheduler.fields.find("steps_per_epoch");
  const Field* length = scheduler.fields.find("total_steps");
  const bool by_steps = length != nullptr && !length->value.is_null();
  auto& report =
      sink.report(diag::cycle_counts_epochs,
                  by_steps ? scheduler.fields.place("total_steps") : scheduler.fields.place("steps_per_epoch"),
                  scheduler.spec->name, fmt::format("{}", steps), fmt::format("its {} steps", total));
  const std::string count = fmt::format("{}", steps);
  if (by_steps) {
    report.with_help(fmt::format("write `total_steps: {}`", count))
        .with_fix(diag::Fix::unsafe().replace(length->value.span, count));
  } else if (scheduler.fields.number("epochs").value_or(0) >= steps) {
    report.with_help("write `steps_per_epoch: 1`").with_fix(diag::Fix::unsafe().replace(per_epoch->value.span, "1"));
  } else {
    report.with_help(fmt::format("write `epochs: {}` and `steps_per_epoch: 1`", count));
  }
}

// SP308 reports a length that is written.
static void report_cyclic(const Component& scheduler, double up, double steps, diag::Sink& sink) {
  if (scheduler.fields.find("step_size_up") != nullptr) return;
  const std::string half = fmt::format("step_size_up: {}", std::max(std::floor(steps / 2), 1.0));
  sink.report(diag::cycle_counts_epochs, scheduler.fields.key, scheduler.spec->name, fmt::format("{}", steps),
              fmt::format("the {} steps of its rise", up))
      .with_help(fmt::format("add `{}`, half of the epochs: the default is {}", half, up))
      .with_fix(diag::Fix::unsafe().add_entry(scheduler.fields.fields.back().key, half));
}

// A length of several times the epochs is probably one in batches. A run that `--epochs` cuts short does not count.
static void check_cycle(const Component& scheduler, const std::vector<Policy>& policies, const ReadOptions& options,
                        diag::Sink& sink) {
  constexpr double kMuchLonger = 3;
  const auto* one = std::get_if<ir::OneCycle>(&*scheduler.course);
  const auto* cyclic = std::get_if<ir::Cyclic>(&*scheduler.course);
  if (one == nullptr && cyclic == nullptr) return;
  const double whole = epochs_of_steps(scheduler, policies, std::nullopt);
  const double steps = epochs_of_steps(scheduler, policies, options.epochs);
  if (steps <= 0) return;
  if (one != nullptr && one->epochs >= kMuchLonger * whole) report_one_cycle(scheduler, one->epochs, steps, sink);
  if (cyclic != nullptr && cyclic->up >= kMuchLonger * whole) report_cyclic(scheduler, cyclic->up, steps, sink);
}

void check_stepping(const Components& components, const std::vector<Policy>& policies, const ReadOptions& options,
                    diag::Sink& sink) {
  for (const Policy& policy : policies) {
    if (steps_known_rate(policy)) check_two_epochs(policy, policies, options, sink);
  }
  for (const Component& component : components.all) {
    if (component.spec != nullptr && component.valid && component.course)
      check_cycle(component, policies, options, sink);
  }
}

}  // namespace sparsecfg::dialect::distiller
