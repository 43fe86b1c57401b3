#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
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

// Returns the epochs of the drops that a scheduler makes if it counts from the start of its policy; empty if it does
// not drop in steps.
static std::vector<double> drops_of(const Policy& policy) {
  const auto& course = *policy.component->course;
  const auto* step = std::get_if<ir::StepDecay>(&course);
  const double every = step != nullptr ? step->epochs : std::holds_alternative<ir::ExponentialDecay>(course) ? 1 : 0;
  std::vector<double> out;
  constexpr std::size_t kMax = 1000;
  for (double epoch = policy.start.value + every; every >= 1 && epoch < policy.end.value && out.size() < kMax;
       epoch += every) {
    out.push_back(epoch);
  }
  return out;
}

static double gamma_of(const ir::EpochRateCurve& course) {
  const auto* step = std::get_if<ir::StepDecay>(&course);
  const auto* decay = std::get_if<ir::ExponentialDecay>(&course);
  return step != nullptr ? step->gamma : decay != nullptr ? decay->gamma : 1;
}

// Returns the milestones as text, shortened in the middle.
static std::string list_of(const std::vector<double>& drops) {
  constexpr std::size_t kShown = 6;
  std::string out;
  for (std::size_t at = 0; at < drops.size(); ++at) {
    const bool hidden = drops.size() > kShown + 1 && at >= kShown && at + 1 < drops.size();
    if (hidden && at > kShown) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", hidden ? "..." : fmt::format("{}", drops[at]));
  }
  return out;
}

// `MultiStepLR` has absolute epochs, so that it can begin late.
static std::string advice_on_late_decay(const Policy& policy, double left) {
  if (left != 1) {
    return "combine both schedulers in one `MultiStepMultiGammaLR` from epoch 0, whose milestones are absolute epochs";
  }
  const std::vector<double> drops = drops_of(policy);
  if (drops.empty()) {
    return fmt::format(
        "write `starting_epoch: 0`: this scheduler cannot begin at epoch {}. `MultiStepLR` has milestones in absolute "
        "epochs",
        policy.start.value);
  }
  return fmt::format(
      "for a decay that begins at epoch {}, write `class: MultiStepLR`, `milestones: [{}]` and `gamma: {}`",
      policy.start.value, list_of(drops), base::python_repr(gamma_of(*policy.component->course)));
}

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
        .with_help(advice_on_late_decay(policy, *left));
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
