#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dialect/distiller/fixes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules.h"
#include "dialect/record/field_names.h"
#include "ir/curve.h"

// Checks the arguments of policies, and what stops them at run time (docs/semantics/distiller.md#b2, #c3, #e1).
namespace sparsecfg::dialect::distiller {

// --- arguments --------------------------------------------------------------------------------------

static void check_known(Policy& policy, const Reading& reading) {
  const bool prunes = policy.kind->section == Section::pruners;
  for (Field& field : policy.args.fields) {
    const auto specs = pruning_arguments();
    const auto found = std::ranges::find(specs, field.name, &FieldSpec::name);
    if (found != specs.end() && (prunes || field.name == "keep_mask")) {
      field.spec = &*found;
      check_value(reading, "args", policy.args, field, policy.acts);
      continue;
    }
    std::vector<std::string_view> known = {"keep_mask"};
    for (const FieldSpec& spec : specs) {
      if (prunes) known.push_back(spec.name);
    }
    FieldNames(reading.sink).report_unknown({field.key, field.name, "`args`", known, "delete it"});
    policy.valid &= prunes;  // a pruner ignores the key, a regularizer rejects it
  }
  policy.valid &= !policy.acts || std::ranges::all_of(policy.args.fields, &Field::valid);
}

static double last_active(const Policy& policy) {
  return policy.lists
             ? policy.over() - 1
             : policy.start.value + ir::epochs_passed(policy.start.value, policy.end.value, policy.every.value);
}

// Masks become permanent, and hooks are removed, at the end of the epoch before `ending_epoch`.
static void check_last_epoch(const Policy& policy, diag::Sink& sink) {
  for (const std::string_view name : {"keep_mask", "mask_gradients"}) {
    const Field* field = policy.args.readable(name);
    if (field != nullptr && python::is_true(field->value) && !policy.lists &&
        last_active(policy) != policy.end.value - 1) {
      sink.report(diag::last_epoch_skipped, field->key, name, fmt::format("{}", policy.end.value - 1))
          .with_label(policy.every.span, "this frequency skips that epoch");
    }
  }
}

void check_arguments(Policy& policy, const Reading& reading) {
  diag::Sink& sink = reading.sink;
  check_known(policy, reading);
  if (!policy.valid) {
    return;
  }
  check_last_epoch(policy, sink);
  if (policy.kind->section != Section::pruners) {
    return;
  }
  if (policy.args.is_set("mask_gradients") && !policy.args.is_set("mask_on_forward_only")) {
    policy.valid = false;
    sink.report(diag::mask_gradients_alone, policy.args.find("mask_gradients")->key)
        .with_help("add `mask_on_forward_only: true`")
        .with_fix(with_forward_only(policy.args));
  }
  if (policy.args.is_set("mini_batch_pruning_frequency") && !policy.lists && policy.every.value > 1) {
    sink.report(diag::minibatches_of_active_epochs, policy.args.find("mini_batch_pruning_frequency")->key)
        .with_label(policy.every.span, "number of epochs between active epochs")
        .with_fix(diag::Fix::unsafe().replace(policy.every.span, "1"));
  }
}

// --- one policy ---------------------------------------------------------------------------------------

void report_section(const Component& component, diag::Sink& sink) {
  const SectionSpec& wanted = spec_of(component.spec->section.as<Section>());
  sink.report(diag::class_in_wrong_section, component.fields.place("class"), component.spec->name,
              fmt::format("a {}", wanted.kind), spec_of(component.section).name)
      .with_help(fmt::format("move it to `{}`", wanted.name));
}

static bool fails_by_class(const Policy& policy, diag::Sink& sink) {
  const Component& component = *policy.component;
  const ClassSpec& spec = *component.spec;
  if (spec.section != class_section(component.section)) {
    report_section(component, sink);
    return true;
  }
  if (spec.meaning == Meaning::post_training) {
    sink.report(diag::class_not_buildable, policy.place, spec.name,
                "it quantizes a trained model, and policies cannot run it");
    return true;
  }
  return false;
}

// The divisor of the first slope is 2 * offset + 3 * (length of the range - offset).
static bool slope_is_infinite(const Policy& policy) {
  const double offset = policy.component->number("ramp_epoch_offset").value_or(0);
  return !policy.lists && 2 * offset + 3 * (policy.end.value - policy.start.value - offset) == 0;
}

static bool has_range(const Policy& policy) {
  return std::ranges::all_of(kRange, [&](std::string_view name) { return policy.entry.find(name) != nullptr; });
}

diag::Diagnostic& report_group_size(const Component& pruner, diag::Sink& sink) {
  return sink
      .report(diag::wrong_type, pruner.fields.place("group_size"), "group_size", "1",
              source::describe(pruner.fields.find("group_size")->value))
      .with_help("delete `group_size`");
}

// Distiller divides the number of structures to remove by the size of a group.
static void check_group_divisor(Policy& policy, diag::Sink& sink) {
  const Component& pruner = *policy.component;
  const double group = pruner.number("group_size").value_or(1);
  const bool removes = pruner.number("desired_sparsity").value_or(1) > 0 && pruner.text("group_type") != "Blocks";
  if (removes && (group == 0 || std::isnan(group))) {
    policy.valid = false;
    report_group_size(pruner, sink);
  }
}

static void check_course(Policy& policy, diag::Sink& sink) {
  const Component& component = *policy.component;
  const auto meaning = component.spec->meaning.as<Meaning>();
  const bool ramp = meaning == Meaning::gradual || meaning == Meaning::ranked_gradual;
  if (!policy.acts) {
    return;
  }
  if (meaning == Meaning::ranked) check_group_divisor(policy, sink);
  if (policy.lists && needs_range(*component.spec)) {
    policy.valid = false;
    sink.report(diag::needs_range, policy.entry.find("epochs")->key, component.spec->name)
        .with_help(has_range(policy) ? "delete `epochs`; this class uses the range"
                                     : "write `starting_epoch`, `ending_epoch` and `frequency`");
  } else if (meaning == Meaning::baidu && slope_is_infinite(policy)) {
    policy.valid = false;
    sink.report(diag::number_out_of_range, component.fields.place("ramp_epoch_offset"), "ramp_epoch_offset",
                fmt::format("{}", component.number("ramp_epoch_offset").value_or(0)),
                "the values with a finite slope in this range", component.spec->name)
        .with_help("change `ramp_epoch_offset` or `ending_epoch`");
  } else if (ramp && ir::epochs_passed(policy.start.value, policy.end.value, policy.every.value) == 0) {
    policy.valid = false;
    sink.report(diag::empty_span, policy.place_of_epochs(), component.spec->name)
        .with_label(policy.every.span, "the next active epoch is this many epochs later");
  }
}

double last_active_before(const Policy& policy, const std::optional<double>& epochs) {
  const double over = epochs.value_or(policy.over());
  if (!policy.lists) {
    const double end = std::min(policy.end.value, std::ceil(over));
    return end > policy.start.value
               ? policy.start.value + ir::epochs_passed(policy.start.value, end, policy.every.value)
               : -1;
  }
  double last = -1;
  for (const auto& epoch : policy.epochs) {
    last = epoch.value < over ? std::max(last, epoch.value) : last;
  }
  return last;
}

// Returns the epoch whose rate can't be computed, or nullopt. Most formulas that fail once also fail later; only a
// negative power fails in a single epoch.
static std::optional<double> failing_epoch(const ir::EpochRateCurve& course, const Policy& policy, double last) {
  if (ir::fails_at(course, last + 1)) {
    return last + 1;
  }
  const auto* decay = std::get_if<ir::PolynomialDecay>(&course);
  if (decay == nullptr || decay->power >= 0) {
    return std::nullopt;
  }
  constexpr std::size_t kMaxEpochs = 10'000;
  for (const std::int64_t epoch : policy.active(kMaxEpochs)) {
    const auto next = static_cast<double>(epoch) + 1;
    if (next <= last + 1 && ir::fails_at(course, next)) return next;
  }
  return std::nullopt;
}

// After each active epoch the scheduler computes the rate of the next epoch.
static void check_rates(Policy& policy, const ReadOptions& options, diag::Sink& sink) {
  const Component& component = *policy.component;
  const auto course = component.valid && policy.acts ? course_of(component) : std::nullopt;
  // A complex rate is only detected in the step that uses it.
  const bool complex = course && std::holds_alternative<ir::PolynomialDecay>(*course) &&
                       std::get<ir::PolynomialDecay>(*course).epochs != 0;
  const double last =
      last_active_before(policy, options.epochs && complex ? std::optional(*options.epochs - 1) : options.epochs);
  const auto failing = course && last >= 0 ? failing_epoch(*course, policy, last) : std::nullopt;
  if (failing) {
    policy.valid = false;
    sink.report(diag::rate_not_computable, policy.place_of_epochs(), component.spec->name, fmt::format("{}", *failing))
        .with_label(component.fields.place("class"), "this scheduler");
  }
}

void check_run(Policy& policy, const ReadOptions& options, const Reading& reading) {
  diag::Sink& sink = reading.sink;
  if (policy.component->spec == nullptr) {
    policy.valid = false;
    return;
  }
  if (policy.acts && fails_by_class(policy, sink)) {
    policy.valid = false;
  } else if (policy.valid && policy.kind->section == Section::pruners) {
    check_course(policy, sink);
  } else if (policy.valid && policy.kind->section == Section::lr_schedulers && !reading.is_ai8x()) {
    check_rates(policy, options, sink);
  }
}

// --- several policies -----------------------------------------------------------------------------------

const Component* running_quantizer(const std::vector<Policy>& policies) {
  const auto quantizes = [](const Policy& policy) {
    return policy.component != nullptr && policy.kind->section == Section::quantizers &&
           policy.component->spec != nullptr && policy.component->spec->meaning == Meaning::quantizer;
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

// In epochs without quantization DoReFa, WRPN and PACT reuse the graph of the previous step and fail. Range-based
// quantizers detach weights from that graph and continue with the weights quantized last.
static void check_always_active(const Policy& policy, double length, bool certain, diag::Sink& sink) {
  const std::string_view name = policy.component->spec->name;
  const bool fails = name == "DorefaQuantizer" || name == "WRPNQuantizer" || name == "PACTQuantizer";
  const auto severity = fails ? diag::Severity::error : diag::Severity::warning;
  const auto active = policy.active(2);
  const bool from_start = !active.empty() && active.front() == 0;
  const bool each = policy.lists ? static_cast<double>(policy.active(policy.epochs.size()).size()) == policy.over()
                                 : policy.every.value == 1;
  const Span place = policy.lists ? policy.place_of_epochs() : !from_start ? policy.start.span : policy.every.span;
  if (!from_start) {
    sink.report(diag::quantizer_not_always_active, place,
                "quantization starts at loading, so its policy must start at epoch 0")
        .with_severity(severity)
        .with_help("write `starting_epoch: 0`, and train the earlier epochs in a separate run");
  } else if (!each) {
    sink.report(diag::quantizer_not_always_active, place,
                fails ? "a quantized model cannot be trained in epochs without its policy"
                      : "weights are not quantized again in epochs without the policy")
        .with_severity(severity)
        .with_help("write `frequency: 1`");
  } else if (policy.over() < length) {
    sink.report(diag::quantizer_not_always_active, policy.lists ? place : policy.end.span,
                fmt::format("quantization ends at epoch {}, but training continues to epoch {}", policy.over(), length))
        .with_severity(certain ? severity : diag::Severity::warning)
        .with_help("set `ending_epoch` to the end of training");
  }
}

static void check_quantizers(const Components& components, const std::vector<Policy>& policies,
                             const ReadOptions& options, const Reading& reading) {
  diag::Sink& sink = reading.sink;
  const Component* first = nullptr;
  for (const Component& component : components.all) {
    if (component.section == Section::quantizers && first != nullptr) {
      sink.report(diag::multiple_quantizers, component.key, "a schedule can have only one quantizer")
          .with_label(first->key, "first quantizer");
    }
    first = component.section == Section::quantizers && first == nullptr ? &component : first;
  }
  const Policy* running = nullptr;
  for (const Policy& policy : policies) {
    if (policy.kind == nullptr || policy.kind->section != Section::quantizers || policy.component == nullptr) {
      continue;
    }
    if (running != nullptr) {
      sink.report(diag::multiple_quantizers, policy.place, "a quantizer can have only one policy")
          .with_label(running->place, "first policy");
    } else if (policy.valid && policy.component->spec != nullptr && wraps_weights(*policy.component, reading)) {
      check_always_active(policy, run_length(policies, options), options.epochs.has_value(), sink);
    }
    running = running == nullptr ? &policy : running;
  }
}

static bool names_old_weights(const Component& regularizer) {
  const Field* field = regularizer.fields.find("reg_regims");
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  return map != nullptr && std::ranges::any_of(*map, [](const source::Entry& entry) {
           const auto* name = entry.first.get<std::string>();
           return name != nullptr && name->ends_with(".weight");
         });
}

static void check_pruned_and_quantized(const std::vector<Policy>& policies, const Reading& reading) {
  diag::Sink& sink = reading.sink;
  const auto quantizing = std::ranges::find_if(policies, [&](const Policy& policy) {
    return policy.component != nullptr && policy.kind->section == Section::quantizers &&
           policy.component->spec != nullptr && policy.component->spec->meaning == Meaning::quantizer &&
           (wraps_weights(*policy.component, reading) || adds_parameters(*policy.component, reading));
  });
  if (quantizing == policies.end()) {
    return;
  }
  const bool renames = wraps_weights(*quantizing->component, reading);
  const char* why = renames ? "this quantizer renames the weights" : "this quantizer adds parameters without a mask";
  for (const Policy& policy : policies) {
    if (!policy.acts) {
      continue;
    }
    const bool prunes = policy.component != nullptr && policy.kind->section == Section::pruners;
    const bool regularizes = policy.component != nullptr && policy.kind->section == Section::regularizers;
    const bool thresholds = regularizes && policy.component->fields.is_set("threshold_criteria");
    if (prunes || thresholds) {
      sink.report(diag::prune_and_quantize, policy.place, prunes ? "pruning" : "a thresholding regularizer",
                  "quantization-aware training")
          .with_label(quantizing->place, why);
    } else if (renames && regularizes && names_old_weights(*policy.component)) {
      sink.report(diag::prune_and_quantize, policy.place, "a regularizer that uses the original weight names",
                  "quantization-aware training")
          .with_severity(diag::Severity::warning)
          .with_label(quantizing->place, why)
          .with_help("use the names of quantized weights, such as `fc.float_weight`");
    }
  }
}

void check_together(const Components& components, const std::vector<Policy>& policies, const ReadOptions& options,
                    const Reading& reading) {
  diag::Sink& sink = reading.sink;
  check_quantizers(components, policies, options, reading);
  check_pruned_and_quantized(policies, reading);
  const bool detected = components.detected &&
                        std::ranges::all_of(policies, [](const Policy& policy) { return policy.component != nullptr; });
  for (const Component& component : components.all) {
    const bool spare = component.section == Section::quantizers &&
                       std::ranges::count(components.all, component.section, &Component::section) > 1;
    if (detected && !component.used && component.spec != nullptr && !spare) {
      sink.report(diag::unused_instance, component.key, component.name);
    }
  }
}

}  // namespace sparsecfg::dialect::distiller
