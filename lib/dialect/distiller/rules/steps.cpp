#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"

// Checks the steps of learning rate schedulers as ai8x-training makes them: without an epoch and without metrics
// (docs/semantics/ai8x.md#a1, #b2).
namespace sparsecfg::dialect::distiller {

static bool steps_rate(const Policy& policy) {
  return policy.kind != nullptr && class_section(policy.kind->section) == Section::lr_schedulers && policy.valid &&
         policy.acts && policy.component != nullptr && policy.component->valid;
}

// Returns the number of epochs before `epochs` in which a policy is active.
static double active_before(const Policy& policy, const std::optional<double>& epochs) {
  const double last = last_active_before(policy, epochs);
  if (!policy.lists) {
    return last < 0 ? 0 : std::floor((last - policy.start.value) / policy.every.value) + 1;
  }
  return static_cast<double>(
      std::ranges::count_if(policy.epochs, [&](const auto& epoch) { return epoch.value <= last; }));
}

// Policies of the same scheduler add up.
static double steps_of(const Component& scheduler, const std::vector<Policy>& policies,
                       const std::optional<double>& epochs) {
  double steps = 0;
  for (const Policy& policy : policies) {
    if (steps_rate(policy) && policy.component == &scheduler) steps += active_before(policy, epochs);
  }
  return steps;
}

static bool is_count(double number) { return number >= 0 && number == std::floor(number); }

// IntelLabs' Distiller compares milestones and step sizes with epochs, the other one tests for equality.
static bool counts_like_epochs(const ir::EpochRateCurve& course) {
  if (const auto* decay = std::get_if<ir::StepDecay>(&course)) {
    return decay->epochs >= 1 && is_count(decay->epochs);
  }
  if (const auto* decay = std::get_if<ir::MilestoneDecay>(&course)) {
    return std::ranges::all_of(decay->milestones, is_count);
  }
  const auto* ramp = std::get_if<ir::FactorRamp>(&course);
  return ramp == nullptr || (ramp->epochs >= 1 && is_count(ramp->epochs));
}

static bool is_scheduler(const Component& component) { return component.section == Section::lr_schedulers; }

static bool moves_rate_of_model(const Policy& policy) {
  return policy.kind != nullptr && policy.kind->section == Section::lr_schedulers;
}

static bool steps_each_epoch(const Policy& policy) {
  return policy.valid && !policy.lists && policy.start.value == 0 && policy.every.value == 1;
}

bool has_equal_rates(const Components& components, const std::vector<Policy>& policies) {
  const auto scheduler = std::ranges::find_if(components.all, is_scheduler);
  if (scheduler == components.all.end()) {
    return true;
  }
  return std::ranges::count_if(components.all, is_scheduler) == 1 && scheduler->course &&
         counts_like_epochs(*scheduler->course) && std::ranges::count_if(policies, moves_rate_of_model) <= 1 &&
         std::ranges::all_of(policies,
                             [](const Policy& each) { return !moves_rate_of_model(each) || steps_each_epoch(each); });
}

DIAGNOSTIC(AX102, forks_differ, fact, (Text), "learning rates of `{}` depend on which Distiller runs the schedule",
           "The Distiller of IntelLabs passes the epoch to a learning rate scheduler. The Distiller of ai8x-training "
           "steps the scheduler once per active epoch, so milestones count steps, and most schedulers continue from "
           "the current rate. Both agree only if a single scheduler steps in every epoch from epoch 0.",
           "pass `--distiller intel` or `--distiller ai8x`")

void check_meaning(const Components& components, const std::vector<Policy>& policies, diag::Sink& sink) {
  const auto valid = [](const Policy& each) {
    return each.valid && each.component != nullptr && each.component->valid;
  };
  const auto moving = std::ranges::find_if(policies, moves_rate_of_model);
  if (moving == policies.end() || !std::ranges::all_of(policies, valid) || has_equal_rates(components, policies)) {
    return;
  }
  const auto odd = std::ranges::find_if(
      policies, [](const Policy& each) { return moves_rate_of_model(each) && !steps_each_epoch(each); });
  const Policy& place = odd == policies.end() ? *moving : *odd;
  sink.report(diag::forks_differ, place.place, place.component->name);
}

DIAGNOSTIC(AX101, metrics_missing, error, (Text), "`{}` stops the training: ai8x-training passes no metrics",
           "train.py of ai8x-training calls the scheduler at the end of each active epoch without the loss. The step "
           "of `ReduceLROnPlateau` then fails with a KeyError.",
           "use a scheduler that follows the epochs, such as `MultiStepLR`")

static void check_metrics(Policy& policy, const ReadOptions& options, diag::Sink& sink) {
  policy.valid = false;
  const Field* factor = policy.component->fields.find("factor");
  const auto value = factor == nullptr ? std::nullopt : factor->value.number();
  constexpr double kUsual = 0.1;
  const double end = options.epochs.value_or(policy.over());
  std::vector<std::string> replaced;
  for (const Field& field : policy.component->fields.fields) replaced.push_back(fmt::format("`{}`", field.name));
  sink.report(diag::metrics_missing, policy.component->fields.key, policy.component->spec->name)
      .with_label(policy.place, "stepped here")
      .with_help(fmt::format("write `class: MultiStepLR`, `gamma: {}` and `milestones: [{}, {}]`, such as half and "
                             "three quarters of the run{}",
                             base::python_repr(value.value_or(kUsual)), std::floor(end / 2), std::floor(end * 3 / 4),
                             replaced.empty() ? "" : fmt::format(", in place of {}", base::join_and(replaced))));
}

void check_steps(std::vector<Policy>& policies, const ReadOptions& options, diag::Sink& sink) {
  for (Policy& policy : policies) {
    if (!steps_rate(policy)) {
      continue;
    }
    if (policy.component->spec->kind == ClassKind::plateau) {
      check_metrics(policy, options, sink);
      continue;
    }
    const auto& course = policy.component->course;
    // A complex rate is only detected in the step that uses it.
    const auto* decay = course ? std::get_if<ir::PolynomialDecay>(&*course) : nullptr;
    const bool late = options.epochs && decay != nullptr && decay->epochs != 0;
    const double steps =
        steps_of(*policy.component, policies, late ? std::optional(*options.epochs - 1) : options.epochs);
    if (course && ir::fails_after(*course, steps)) {
      policy.valid = false;
      sink.report(diag::rate_not_computable, policy.place_of_epochs(), policy.component->spec->name,
                  fmt::format("{}", steps))
          .with_label(policy.component->fields.key, "this scheduler counts its steps");
    }
  }
}

}  // namespace sparsecfg::dialect::distiller
