#include <fmt/core.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"
#include "ir/curve.h"

// Checks learning rate schedulers whose policy starts late: the scheduler still counts from epoch 0.
namespace sparsecfg::dialect::distiller {

static bool counts_from_start(const ir::EpochRateCurve& course) {
  return std::holds_alternative<ir::ExponentialDecay>(course) || std::holds_alternative<ir::StepDecay>(course) ||
         std::holds_alternative<ir::CosineAnnealing>(course) || std::holds_alternative<ir::PolynomialDecay>(course);
}

// Returns the policies of learning rates that have a range, sorted by start.
static std::vector<const Policy*> rate_policies(const std::vector<Policy>& policies) {
  std::vector<const Policy*> found;
  for (const Policy& policy : policies) {
    const bool moves = policy.kind != nullptr && policy.kind->section == Section::lr_schedulers && policy.valid &&
                       policy.component != nullptr && policy.component->valid;
    if (moves && !policy.lists) found.push_back(&policy);
  }
  std::ranges::stable_sort(found, {}, [](const Policy* policy) { return policy->start.value; });
  return found;
}

// Returns the rate that a policy leaves behind when another one starts, as a fraction of the initial rate; nullopt if
// it is unknown.
static std::optional<double> rate_left(const Policy* before, double epoch) {
  if (before == nullptr) {
    return 1.0;
  }
  const auto& course = before->component->course;
  return course ? ir::rate_at(*course, 1.0, std::min(epoch, before->end.value)) : std::nullopt;
}

DIAGNOSTIC(SP529, decay_counts_from_zero, warning, (Text, Text, Text),
           "`{}` jumps in epoch {} to {} times the initial learning rate",
           "Distiller passes the epoch number to the scheduler, and torch computes the rate from that number. If a "
           "policy starts late, the rate stays constant until then, and all steps of the decay are applied at once.",
           "start the policy at epoch 0")

static void check_late_decay(const Policy& policy, const Policy* before, diag::Sink& sink) {
  const double start = policy.start.value;
  const auto& course = policy.component->course;
  if (start < 1 || !course || !counts_from_start(*course) || ir::fails_at(*course, start + 1)) {
    return;
  }
  const auto then = ir::rate_at(*course, 1.0, start + 1);
  const auto once = ir::rate_at(*course, 1.0, 1);
  const auto left = rate_left(before, start);
  if (then && once && left && *then < 0.8 * *once * *left) {
    constexpr double kLarge = 0.02;  // decays of a single milestone are common
    sink.report(diag::decay_counts_from_zero, policy.start.span, policy.component->spec->name,
                fmt::format("{}", start + 1), fmt::format("{:.4g}", *then))
        .with_severity(*then < kLarge * *once * *left ? diag::Severity::warning : diag::Severity::info)
        .with_label(policy.component->fields.key, "this scheduler")
        .with_help(
            "the start of a policy does not shift the decay; `MultiStepMultiGammaLR` counts absolute epochs, too");
  }
}

// A policy that continues the scheduler of the policy before it does not jump.
void check_late_decay(const std::vector<Policy>& policies, diag::Sink& sink) {
  const Policy* before = nullptr;
  for (const Policy* policy : rate_policies(policies)) {
    if (before == nullptr || before->component != policy->component) check_late_decay(*policy, before, sink);
    before = policy;
  }
}

}  // namespace sparsecfg::dialect::distiller
