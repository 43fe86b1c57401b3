#include <fmt/core.h>

#include <algorithm>

#include "dialect/distiller/read.h"
#include "dialect/distiller/rules.h"
#include "ir/curve.h"

// Schedulers of the learning rate whose policy begins late: the scheduler counts from epoch 0 all the same.
namespace sparsecfg::dialect::distiller {

static bool counts_from_start(const ir::EpochRateCurve& course) {
  return std::holds_alternative<ir::ExponentialDecay>(course) || std::holds_alternative<ir::StepDecay>(course) ||
         std::holds_alternative<ir::CosineAnnealing>(course) || std::holds_alternative<ir::PolynomialDecay>(course);
}

// Policies of the learning rate with a range, by their starts.
static std::vector<const Policy*> rate_policies(const std::vector<Policy>& policies) {
  std::vector<const Policy*> found;
  for (const Policy& policy : policies) {
    const bool moves = policy.kind != nullptr && policy.kind->section == Section::lr_schedulers && policy.valid &&
                       policy.component != nullptr && policy.component->valid && policy.component->spec != nullptr;
    if (moves && !policy.lists) found.push_back(&policy);
  }
  std::ranges::stable_sort(found, {}, [](const Policy* policy) { return policy->start.value; });
  return found;
}

// What a policy leaves the rate at when another one starts, as a fraction of the trainer's; nullopt if that is not
// known.
static std::optional<double> share_left(const Policy* before, double epoch) {
  if (before == nullptr) {
    return 1.0;
  }
  const auto course = course_of(*before->component);
  return course ? ir::rate_at(*course, 1.0, std::min(epoch, before->end.value)) : std::nullopt;
}

static void check_late_decay(const Policy& policy, const Policy* before, diag::Sink& sink) {
  const double start = policy.start.value;
  const auto course = start < 1 ? std::nullopt : course_of(*policy.component);
  if (!course || !counts_from_start(*course) || ir::fails_at(*course, start + 1)) {
    return;
  }
  const auto then = ir::rate_at(*course, 1.0, start + 1);
  const auto once = ir::rate_at(*course, 1.0, 1);
  const auto left = share_left(before, start);
  if (then && once && left && *then < 0.8 * *once * *left) {
    sink.report(diag::decay_counts_from_zero, policy.start.span, policy.component->spec->name,
                fmt::format("{}", start + 1), fmt::format("{:.4g}", *then))
        .with_label(policy.component->fields.place_of("class"), "the scheduler")
        .with_help(
            "a policy's start does not shift the decay; write MultiStepMultiGammaLR with the epochs that are meant");
  }
}

// One that goes on with the scheduler of the policy before it jumps nowhere.
void check_late_decay(const std::vector<Policy>& policies, diag::Sink& sink) {
  const Policy* before = nullptr;
  for (const Policy* policy : rate_policies(policies)) {
    if (before == nullptr || before->component != policy->component) check_late_decay(*policy, before, sink);
    before = policy;
  }
}

}  // namespace sparsecfg::dialect::distiller
