#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"

// Checks policies that are in the same schedule (docs/semantics/distiller.md#c10, #e1).
namespace sparsecfg::dialect::distiller {

const Component* running_quantizer(const std::vector<Policy>& policies) {
  const auto quantizes = [](const Policy& policy) {
    return policy.component != nullptr && policy.kind->section == Section::quantizers &&
           policy.component->spec != nullptr && policy.component->spec->kind == ClassKind::quantizer;
  };
  const auto found = std::ranges::find_if(policies, quantizes);
  return found == policies.end() ? nullptr : found->component;
}

double run_length(const std::vector<Policy>& policies, const ReadOptions& options) {
  double length = 0;
  for (const Policy& policy : policies) {
    length = policy.valid ? std::max(length, policy.over()) : length;
  }
  return options.epochs.value_or(length);
}

static bool is_active_in_each_epoch(const Policy& policy) {
  return policy.lists ? static_cast<double>(policy.active(policy.epochs.size()).size()) == policy.over()
                      : policy.every.value == 1;
}

DIAGNOSTIC(SP321, quantizer_starts_late, error, (),
           "quantization starts at loading, so its policy must start at epoch 0",
           "A quantizer changes the model while the schedule is loaded, not when its policy starts. In the epochs "
           "before the policy, the second step of DoReFa, WRPN and PACT quantizers fails with a RuntimeError, because "
           "the autograd graph of the first step is already freed. Other quantizers do not quantize the weights "
           "again. To start later, train and quantize in two runs.",
           "write `starting_epoch: 0`, and train the earlier epochs in a separate run")

DIAGNOSTIC(SP322, quantizer_skips_epochs, error, (), "the policy of a quantizer must be active in each epoch",
           "A quantizer changes the model while the schedule is loaded. The epochs of its policy only determine when "
           "weights are quantized again after a step. In any other epoch, the second step of DoReFa, WRPN and PACT "
           "quantizers fails with a RuntimeError, because the autograd graph of the first step is already freed. "
           "Other quantizers use the weights that were quantized last.",
           "write `frequency: 1`")

DIAGNOSTIC(SP314, quantizer_not_always_active, error, (double, double),
           "quantization ends at epoch {}, but training continues to epoch {}",
           "A quantizer changes the model while the schedule is loaded. The epochs of its policy only determine when "
           "weights are quantized again after a step. After the policy ends, the second step of DoReFa, WRPN and PACT "
           "quantizers fails with a RuntimeError, because the autograd graph of the first step is already freed. "
           "Other quantizers use the weights that were quantized last.",
           "set `ending_epoch` to the end of training")

// Range-based quantizers detach weights from the graph of the previous step and continue with the weights quantized
// last. `certain`: true if the length of the training is known.
static void check_always_active(const Policy& policy, double length, bool certain, diag::Sink& sink) {
  const auto severity = has(*policy.component->spec, kReusesGraph) ? diag::Severity::error : diag::Severity::warning;
  const auto active = policy.active(1);
  if (active.empty() || active.front() != 0) {
    sink.report(diag::quantizer_starts_late, policy.place_of_epochs()).with_severity(severity);
  } else if (!is_active_in_each_epoch(policy)) {
    sink.report(diag::quantizer_skips_epochs, policy.lists ? policy.place_of_epochs() : policy.every.span)
        .with_severity(severity);
  } else if (policy.over() < length) {
    auto& report = sink.report(diag::quantizer_not_always_active,
                               policy.lists ? policy.place_of_epochs() : policy.end.span, policy.over(), length);
    report.with_severity(certain ? severity : diag::Severity::warning);
    if (policy.lists) return;
    const std::string end = fmt::format("{}", length);
    report.with_help(fmt::format("write `ending_epoch: {}`, the end of training", end))
        .with_fix(diag::Fix::unsafe().replace(policy.end.span, end));
  }
}

static void check_number_of_quantizers(const Components& components, diag::Sink& sink) {
  const Component* first = nullptr;
  for (const Component& component : components.all) {
    if (component.section != Section::quantizers) continue;
    if (first != nullptr) {
      sink.report(diag::multiple_quantizers, component.key, "a schedule can have only one quantizer")
          .with_label(first->key, "first quantizer");
    } else {
      first = &component;
    }
  }
}

static void check_policies_of_quantizers(const std::vector<Policy>& policies, const ReadOptions& options,
                                         const Context& context) {
  const Policy* first = nullptr;
  for (const Policy& policy : policies) {
    if (policy.kind == nullptr || policy.kind->section != Section::quantizers || policy.component == nullptr) continue;
    if (first != nullptr) {
      context.sink.report(diag::multiple_quantizers, policy.place, "a quantizer can have only one policy")
          .with_label(first->place, "first policy");
      continue;
    }
    first = &policy;
    if (policy.valid && policy.component->spec != nullptr && wraps_weights(*policy.component, context)) {
      check_always_active(policy, run_length(policies, options), options.epochs.has_value(), context.sink);
    }
  }
}

static bool names_old_weights(const Component& regularizer) {
  return std::ranges::any_of(regularizer.arguments->reg_regims.value_or({}), [](const Regim& each) {
    return each.name_text() != nullptr && each.name_text()->ends_with(".weight");
  });
}

DIAGNOSTIC(SP705, prune_and_quantize, error, (Text),
           "{} cannot be combined with quantization-aware training in one run",
           "While the schedule is loaded, a training quantizer renames the weights that it wraps (`fc.weight` becomes "
           "`fc.float_weight`). The masks are named before that. The first pruner or thresholding regularizer that "
           "runs stops with a KeyError, whichever weights it prunes. `PACTQuantizer` also adds activation bounds "
           "without masks, with the same result.",
           "prune and quantize in two runs")

DIAGNOSTIC(SP716, regularizer_of_renamed_weights, warning, (),
           "this regularizer skips weights that the quantizer renames",
           "While the schedule is loaded, a training quantizer renames the weights that it wraps (`fc.weight` becomes "
           "`fc.float_weight`). A regularizer without thresholds silently skips the original names.",
           "use the names of quantized weights, such as `fc.float_weight`")

static void check_pruned_and_quantized(const std::vector<Policy>& policies, const Context& context) {
  diag::Sink& sink = context.sink;
  const auto quantizing = std::ranges::find_if(policies, [&](const Policy& policy) {
    return policy.component != nullptr && policy.kind->section == Section::quantizers &&
           policy.component->spec != nullptr && policy.component->spec->kind == ClassKind::quantizer &&
           (wraps_weights(*policy.component, context) || adds_parameters(*policy.component, context));
  });
  if (quantizing == policies.end()) {
    return;
  }
  const bool renames = wraps_weights(*quantizing->component, context);
  const char* why = renames ? "this quantizer renames the weights" : "this quantizer adds parameters without a mask";
  for (const Policy& policy : policies) {
    if (!policy.acts) {
      continue;
    }
    const bool prunes = policy.component != nullptr && policy.kind->section == Section::pruners;
    const bool regularizes = policy.component != nullptr && policy.kind->section == Section::regularizers;
    const bool thresholds = regularizes && is_enabled(policy.component->fields, "threshold_criteria");
    if (prunes || thresholds) {
      sink.report(diag::prune_and_quantize, policy.place, prunes ? "pruning" : "a thresholding regularizer")
          .with_label(quantizing->place, why);
    } else if (renames && regularizes && names_old_weights(*policy.component)) {
      sink.report(diag::regularizer_of_renamed_weights, policy.place).with_label(quantizing->place, why);
    }
  }
}

DIAGNOSTIC(
    SP720, regularizer_drops_masks, silent_warning, (Text, Text),
    "`threshold_criteria` replaces and then drops the masks of `{}` for `{}`",
    "A regularizer with thresholds makes a mask after each minibatch in which it is active. The mask replaces that "
    "of a pruner, and lasts one minibatch unless `keep_mask` is set, so the weights that the pruner zeroes become "
    "nonzero again.",
    "delete `threshold_criteria`; the regularizer still makes weights small")

// Returns the names of the weights that a pruner or regularizer lists.
static std::vector<std::string> listed_weights(const Component& component) {
  std::vector<std::string> out;
  if (!component.arguments) return out;
  for (const source::Value* name : component.arguments->weights.value_or({}).values) {
    if (const auto* text = name->get<std::string>()) out.push_back(*text);
  }
  for (const Regim& regim : component.arguments->reg_regims.value_or({})) {
    if (regim.name_text() != nullptr) out.push_back(*regim.name_text());
  }
  return out;
}

// Returns the first weight that both components list; empty for none.
static std::string shared_weight(const Component& one, const Component& other) {
  const std::vector<std::string> others = listed_weights(other);
  for (const std::string& name : listed_weights(one)) {
    if (std::ranges::find(others, name) != others.end()) return name;
  }
  return {};
}

// Reports a regularizer whose thresholds replace the masks of a pruner (docs/semantics/distiller.md#e1-2).
static void check_thresholds(const std::vector<Policy>& policies, const ReadOptions& options, diag::Sink& sink) {
  for (const Policy& regularizer : policies) {
    if (!runs(regularizer, Section::regularizers)) continue;
    const Field* criterion = enabled(regularizer.component->fields, "threshold_criteria");
    for (const Policy& pruner : policies) {
      if (criterion == nullptr || !runs(pruner, Section::pruners)) continue;
      const std::string weight = shared_weight(*pruner.component, *regularizer.component);
      const auto first = pruner.active(1);
      const bool overlap =
          !first.empty() && last_active_before(regularizer, options.epochs) >= static_cast<double>(first.front());
      if (weight.empty() || !overlap) continue;
      sink.report(diag::regularizer_drops_masks, criterion->key, pruner.component->name, weight)
          .with_label(pruner.component->key, "makes the masks")
          .with_fix(diag::Fix::unsafe().remove(criterion->key));
      return;
    }
  }
}

DIAGNOSTIC(
    SP730, thresholds_end_early, silent_warning, (Text, double),
    "the weights that `{}` sets to 0 become nonzero again after epoch {}",
    "The mask of a regularizer with thresholds lasts one minibatch. After its last epoch nothing masks the weights, "
    "and training changes them, unless the policy has `keep_mask: true`.",
    "add `args: {{keep_mask: true}}` to the policy, below `instance_name`")

// Returns true if a policy removes structures, which then need no mask.
static bool is_remover(const Policy& policy) {
  return policy.component != nullptr && policy.component->spec != nullptr &&
         policy.component->spec->kind == ClassKind::remover;
}

// Returns true if the training goes on after the last epoch of a policy.
static bool ends_early(const Policy& policy, double length) {
  return !policy.lists && policy.every.value == 1 && policy.end.value + 1 < length;
}

// Reports a regularizer whose zeros are lost because the training goes on after its policy.
static void check_lost_zeros(const std::vector<Policy>& policies, const ReadOptions& options, diag::Sink& sink) {
  if (std::ranges::any_of(policies, is_remover)) return;
  const double length = run_length(policies, options);
  for (const Policy& policy : policies) {
    const bool thresholds =
        runs(policy, Section::regularizers) && enabled(policy.component->fields, "threshold_criteria") != nullptr;
    if (!thresholds || policy.args.keep_mask != nullptr || !ends_early(policy, length)) continue;
    sink.report(diag::thresholds_end_early, policy.end.span, policy.component->name, policy.end.value - 1)
        .with_label(policy.component->key, "its mask lasts one minibatch")
        .not_beside(diag::regularizer_drops_masks);
  }
}

DIAGNOSTIC(SP113, unused_instance, warning, (Text), "`{}` is not used by any policy",
           "Distiller builds the instance but never runs it. (A learning rate scheduler can still set the initial "
           "rate when it is built.)",
           "add a policy that uses `{0}`, or delete it")

// Returns the advice to add a policy for a component.
static std::string policy_for(const Component& component) {
  const auto section = std::ranges::find(sections(), component.section, &SectionSpec::section);
  if (section == sections().end()) return {};
  return fmt::format(
      "add `- {}: {{instance_name: {}}}` with `starting_epoch`, `ending_epoch` and `frequency` to `policies`, or "
      "delete `{}`",
      section->kind, component.name, component.name);
}

// Not reported if a section or a policy could not be read, or beside a report of several quantizers.
static void check_unused(const Components& components, const std::vector<Policy>& policies, diag::Sink& sink) {
  const bool complete = components.detected &&
                        std::ranges::all_of(policies, [](const Policy& policy) { return policy.component != nullptr; });
  const bool one_quantizer = std::ranges::count(components.all, Section::quantizers, &Component::section) <= 1;
  for (const Component& component : components.all) {
    const bool spare = component.section == Section::quantizers && !one_quantizer;
    if (complete && !component.used && component.spec != nullptr && !spare) {
      sink.report(diag::unused_instance, component.key, component.name).with_help(policy_for(component));
    }
  }
}

void check_together(const Components& components, const std::vector<Policy>& policies, const ReadOptions& options,
                    const Context& context) {
  check_number_of_quantizers(components, context.sink);
  check_policies_of_quantizers(policies, options, context);
  check_pruned_and_quantized(policies, context);
  check_thresholds(policies, options, context.sink);
  check_lost_zeros(policies, options, context.sink);
  check_removers(policies, options, context.sink);
  check_unused(components, policies, context.sink);
}

}  // namespace sparsecfg::dialect::distiller
