#include <fmt/format.h>

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

// Returns true if a milestone comes before the policy starts, and all would lie in the policy if they counted from its
// start.
static bool has_early_milestone(const Policy& policy) {
  bool early = false;
  for (const Value& milestone : milestones_of(*policy.component)) {
    const double epoch = milestone.number().value_or(0);
    if (epoch <= 0 || epoch + policy.start.value >= policy.end.value) return false;
    early = early || epoch < policy.start.value;
  }
  return early;
}

// Advises to count milestones from the start of the training.
static void advise_on_milestones(const Policy& policy, diag::Diagnostic& report) {
  std::vector<std::string> later;
  for (const Value& each : milestones_of(*policy.component)) {
    later.push_back(fmt::format("{}", each.number().value_or(0) + policy.start.value));
  }
  const std::string list = fmt::format("[{}]", fmt::join(later, ", "));
  const Field* field = policy.component->fields.find("milestones");
  report.with_help(
      fmt::format("write `milestones: {}`: milestones count from epoch 0, not from `starting_epoch`", list));
  if (field != nullptr) report.with_fix(diag::Fix::unsafe().replace(field->value.span, list));
}

static void check_late_decay(const Policy& policy, const Policy* before, diag::Sink& sink) {
  const double start = policy.start.value;
  const auto& course = policy.component->course;
  const bool early = start >= 1 && has_early_milestone(policy);
  if (start < 1 || !course || !(counts_from_start(*course) || early) || ir::fails_at(*course, start + 1)) {
    return;
  }
  const auto then = ir::rate_at(*course, 1.0, start + 1);
  const auto once = ir::rate_at(*course, 1.0, 1);
  const auto left = rate_left(before, start);
  if (then && once && left && *then < 0.8 * *once * *left) {
    // Decays of a single milestone are common. An exponential decay is meant to begin with its policy.
    const double large = std::holds_alternative<ir::ExponentialDecay>(*course) ? 0.5 : 0.02;
    const source::Span place = early ? policy.component->fields.place("milestones") : policy.start.span;
    auto& report = sink.report(diag::decay_counts_from_zero, place, policy.component->spec->name,
                               fmt::format("{}", start + 1), fmt::format("{:.4g}", *then));
    report.with_severity(early || *then < large * *once * *left ? diag::Severity::warning : diag::Severity::info)
        .with_label(early ? policy.start.span : policy.component->fields.key,
                    early ? "the policy starts here" : "this scheduler")
        .with_help(advice_on_late_decay(policy, *left));
    if (early && *left == 1) advise_on_milestones(policy, report);
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
