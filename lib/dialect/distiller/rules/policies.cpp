#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/fixes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"
#include "dialect/distiller/rules/training_quantizer.h"
#include "dialect/record/field_names.h"
#include "ir/curve.h"

// Checks the arguments of policies, and what stops them at run time (docs/semantics/distiller.md#b2, #c3).
namespace sparsecfg::dialect::distiller {

static void check_known(Policy& policy, const Context& context) {
  const bool prunes = policy.kind->section == Section::pruners;
  for (Field& field : policy.args.record.fields) {
    const auto specs = pruning_arguments();
    const auto found = std::ranges::find(specs, field.name, &FieldSpec::name);
    if (found != specs.end() && (prunes || field.name == "keep_mask")) {
      field.spec = &*found;
      check_value(context, "args", policy.args.record, field, policy.acts);
      continue;
    }
    std::vector<std::string_view> known = {"keep_mask"};
    for (const FieldSpec& spec : specs) {
      if (prunes) known.push_back(spec.name);
    }
    FieldNames(context.sink).report_unknown({field.key, field.name, "`args`", known, "delete it"});
    policy.valid &= prunes;  // a pruner ignores the key, a regularizer rejects it
  }
  policy.valid &= !policy.acts || std::ranges::all_of(policy.args.record.fields, &Field::valid);
}

static double last_active(const Policy& policy) {
  return policy.lists
             ? policy.over() - 1
             : policy.start.value + ir::epochs_passed(policy.start.value, policy.end.value, policy.every.value);
}

DIAGNOSTIC(SP304, last_epoch_skipped, warning, (Text, Text), "`{}` has no effect: epoch {} is not active",
           "Distiller makes a mask permanent at the end of the epoch before `ending_epoch`, and only if the policy is "
           "active in that epoch.",
           "choose a `frequency` with which the epoch before `ending_epoch` is active")

// Masks become permanent, and hooks are removed, at the end of the epoch before `ending_epoch`. An earlier end changes
// no active epoch.
static void check_last_epoch(const Policy& policy, diag::Sink& sink) {
  const double last = last_active(policy);
  for (const Field* field : {policy.args.keep_mask, policy.args.mask_gradients}) {
    if (field == nullptr || policy.lists || last == policy.end.value - 1) continue;
    const std::string end = fmt::format("{}", last + 1);
    sink.report(diag::last_epoch_skipped, field->key, field->name, fmt::format("{}", policy.end.value - 1))
        .with_label(policy.every.span, fmt::format("the last active epoch is {}", last))
        .with_label(policy.end.span, "Distiller waits for the epoch before this one")
        .with_help(fmt::format("write `ending_epoch: {}`, which keeps all active epochs", end))
        .with_fix(diag::Fix::unsafe().replace(policy.end.span, end));
  }
}

DIAGNOSTIC(
    SP339, keeps_no_mask, silent_warning, (Text), "`keep_mask` has no effect, because `{}` has no `threshold_criteria`",
    "A regularizer makes a mask only from weights below a threshold. Without `threshold_criteria` it only adds a "
    "penalty to the loss, so that no weight becomes 0 and there is no mask to keep.",
    "add `threshold_criteria: Mean_Abs` to the regularizer")

// Returns false if the policy keeps a mask that its regularizer never makes.
static bool check_kept_mask(const Policy& policy, diag::Sink& sink) {
  const Component* component = policy.component;
  const bool penalty = policy.kind->section == Section::regularizers && component != nullptr &&
                       component->spec != nullptr && component->valid && !component->fields.fields.empty();
  if (!penalty || policy.args.keep_mask == nullptr || is_enabled(component->fields, "threshold_criteria")) return true;
  sink.report(diag::keeps_no_mask, policy.args.keep_mask->key, component->name)
      .with_label(component->fields.key, "makes no weight 0")
      .with_help(fmt::format("add `threshold_criteria: Mean_Abs` to `{}`", component->name))
      .with_fix(diag::Fix::unsafe().add_entry(component->fields.fields.back().key, "threshold_criteria: Mean_Abs"))
      .not_beside(diag::remover_finds_no_zeros);
  return false;
}

DIAGNOSTIC(SP711, mask_gradients_alone, error, (), "`mask_gradients` requires `mask_on_forward_only: true`",
           "Distiller rejects `mask_gradients` without `mask_on_forward_only`. (Its error message states the "
           "opposite.)",
           "write `mask_on_forward_only: true`")

static void check_mask_gradients(Policy& policy, diag::Sink& sink) {
  if (policy.args.mask_gradients != nullptr && !policy.args.mask_on_forward_only) {
    policy.valid = false;
    sink.report(diag::mask_gradients_alone, policy.args.mask_gradients->key)
        .with_help("add `mask_on_forward_only: true`")
        .with_fix(with_forward_only(policy.args));
  }
}

DIAGNOSTIC(SP310, minibatches_of_active_epochs, info, (), "epochs skipped by `frequency` are not pruned per mini-batch",
           "`mini_batch_pruning_frequency` applies only within active epochs. If `frequency` is greater than 1, the "
           "epochs between are not pruned at all.",
           "write `frequency: 1`")

static void check_minibatches(const Policy& policy, diag::Sink& sink) {
  const auto& frequency = policy.args.mini_batch_pruning_frequency;
  if (frequency.value_or(0) != 0 && !policy.lists && policy.every.value > 1) {
    sink.report(diag::minibatches_of_active_epochs, frequency.field()->key)
        .with_label(policy.every.span, "number of epochs between active epochs")
        .with_fix(diag::Fix::unsafe().replace(policy.every.span, "1"));
  }
}

void check_arguments(Policy& policy, const Context& context) {
  check_known(policy, context);
  if (!policy.valid) {
    return;
  }
  if (check_kept_mask(policy, context.sink)) check_last_epoch(policy, context.sink);
  if (policy.kind->section == Section::pruners) {
    check_mask_gradients(policy, context.sink);
    check_minibatches(policy, context.sink);
  }
}

// --- one policy ---------------------------------------------------------------------------------------

DIAGNOSTIC(SP119, class_in_wrong_section, error, (Text, Text, Text), "`{}` is {} and does not belong in `{}`",
           "Distiller builds any class in any section. It fails when a policy first calls a method that only the "
           "classes of that section have.",
           "move the instance to the section of its kind")

void report_section(const Component& component, diag::Sink& sink) {
  const SectionSpec& wanted = spec_of(component.spec->section.as<Section>());
  sink.report(diag::class_in_wrong_section, component.fields.key, component.spec->name,
              fmt::format("a {}", wanted.kind), spec_of(component.section).name)
      .with_help(fmt::format("move it to `{}`", wanted.name));
}

// A policy of several epochs is meant to train.
static void report_post_training(const Policy& policy, diag::Sink& sink) {
  const Component& quantizer = *policy.component;
  const bool trains = policy.valid && policy.active(2).size() > 1;
  auto& report = sink.report(diag::class_not_buildable, trains ? quantizer.fields.key : policy.place,
                             quantizer.spec->name, "it quantizes a trained model, and policies cannot run it");
  if (trains) {
    report.with_label(policy.place, "would run it during the training");
    offer_training_quantizer(report, quantizer);
    return;
  }
  report.with_help(
      "delete the policy, move `quantizers` to a separate file, and pass it with `--qe-config-file` to the "
      "evaluation of the trained model");
}

static bool fails_by_class(const Policy& policy, diag::Sink& sink) {
  const Component& component = *policy.component;
  const ClassSpec& spec = *component.spec;
  if (spec.section != class_section(component.section)) {
    report_section(component, sink);
    return true;
  }
  if (spec.kind == ClassKind::post_training) {
    report_post_training(policy, sink);
    return true;
  }
  return false;
}

diag::Diagnostic& report_group_size(const Component& pruner, diag::Sink& sink) {
  return sink
      .report(diag::wrong_type, pruner.arguments->group_size.place(), "group_size", "1",
              source::describe(pruner.arguments->group_size.field()->value))
      .with_help("delete `group_size`");
}

// Distiller divides the number of structures to remove by the size of a group.
static void check_group_divisor(Policy& policy, diag::Sink& sink) {
  const Arguments& pruner = *policy.component->arguments;
  const double group = pruner.group_size.value_or(1);
  const bool removes = pruner.desired_sparsity.value_or(1) > 0 && !pruner.has_blocks();
  if (removes && (group == 0 || std::isnan(group))) {
    policy.valid = false;
    report_group_size(*policy.component, sink);
  }
}

DIAGNOSTIC(SP302, needs_range, error, (Text), "`{}` requires a range of epochs, not a list",
           "The pruner computes its schedule from `starting_epoch`, `ending_epoch` and `frequency`. A list of epochs "
           "does not define a frequency, so the first active epoch stops with a TypeError.",
           "replace `epochs` with `starting_epoch`, `ending_epoch` and `frequency`")

// Returns the range of listed epochs, with their distance if it is the same between all of them.
static std::string range_of(const Policy& policy) {
  std::vector<double> epochs;
  for (const auto& epoch : policy.epochs) epochs.push_back(epoch.value);
  std::ranges::sort(epochs);
  if (epochs.size() < 2) return "write `starting_epoch`, `ending_epoch` and `frequency`";
  double every = std::max(epochs[1] - epochs[0], 1.0);
  for (std::size_t at = 1; at < epochs.size(); ++at) every = epochs[at] - epochs[at - 1] == every ? every : 1;
  return fmt::format("write `starting_epoch: {}`, `ending_epoch: {}` and `frequency: {}` instead of `epochs`",
                     epochs.front(), epochs.back() + 1, every);
}

static void report_list(const Policy& policy, diag::Sink& sink) {
  const bool has_range =
      std::ranges::all_of(kRange, [&](std::string_view name) { return policy.entry.find(name) != nullptr; });
  sink.report(diag::needs_range, policy.entry.find("epochs")->key, policy.component->spec->name)
      .with_help(has_range ? "delete `epochs`; this class uses the range" : range_of(policy));
}

// The divisor of the first slope is 2 * offset + 3 * (length of the range - offset).
static bool slope_is_infinite(const Policy& policy) {
  const double offset = policy.component->fields.number("ramp_epoch_offset").value_or(0);
  return !policy.lists && 2 * offset + 3 * (policy.end.value - policy.start.value - offset) == 0;
}

static void report_infinite_slope(const Component& pruner, diag::Sink& sink) {
  sink.report(diag::number_out_of_range, pruner.fields.place("ramp_epoch_offset"), "ramp_epoch_offset",
              fmt::format("{}", pruner.fields.number("ramp_epoch_offset").value_or(0)),
              "the values with a finite slope in this range", pruner.spec->name)
      .with_help("change `ramp_epoch_offset` or `ending_epoch`");
}

DIAGNOSTIC(SP303, empty_span, error, (Text), "`{}` is active in a single epoch, so its ramp has zero length",
           "The ramp runs from the first active epoch to the last one before `ending_epoch`. If the two are the same, "
           "Distiller stops with an AssertionError at the start of that epoch.",
           "lower the `frequency`, or raise `ending_epoch`")

// Returns the pruner that prunes a gradual pruner's weights in one epoch; empty if its fields are not plain.
static std::string one_shot_of(const Component& pruner) {
  const Value* weights = pruner.fields.given("weights");
  const auto final = pruner.fields.number("final_sparsity");
  const auto* list = weights == nullptr ? nullptr : weights->get<source::List>();
  if (list == nullptr || list->empty() || list->size() > 8 || !final) return {};
  std::vector<std::string> levels;
  for (const source::Value& name : *list) levels.push_back(fmt::format("{}: {}", source::python_str(name), *final));
  return fmt::format("`class: SparsityLevelParameterPruner` and `levels: {{{}}}`", fmt::join(levels, ", "));
}

// Points at the frequency if a lower one gives the ramp a length, and at the end otherwise.
static void report_single_epoch(const Policy& policy, diag::Sink& sink) {
  const bool fits = policy.end.value - policy.start.value >= 2;
  const source::Located<double>& wrong = fits ? policy.every : policy.end;
  const std::string value = fits ? "1" : fmt::format("{}", policy.start.value + policy.every.value + 1);
  auto& report = sink.report(diag::empty_span, wrong.span, policy.component->spec->name);
  report
      .with_help(fmt::format(
          "write `{}: {}`, so that the pruner acts in {}", fits ? "frequency" : "ending_epoch", value,
          fits ? fmt::format("the epochs {} to {}", policy.start.value, policy.end.value - 1) : "at least two epochs"))
      .with_fix(diag::Fix::unsafe().replace(wrong.span, value));
  const std::string at_once = fits ? std::string() : one_shot_of(*policy.component);
  if (!at_once.empty()) {
    report.with_help(
        fmt::format("write {} in place of `weights` and the sparsities to prune at once, or `ending_epoch: {}` "
                    "for two steps",
                    at_once, value));
  }
  if (fits) report.with_caret(fmt::format("epoch {} would be the next one", policy.start.value + policy.every.value));
}

DIAGNOSTIC(
    SP336, ramp_offset_beyond_end, silent_warning, (double, double),
    "the ramp begins at epoch {}, after the policy has ended at epoch {}",
    "`ramp_epoch_offset` counts from `starting_epoch`. Before the ramp, the threshold rises by the first slope, whose "
    "formula also contains the offset.",
    "write the epochs from the start of the policy to the ramp")

DIAGNOSTIC(
    SP341, ramp_offset_late, warning, (double, double, double),
    "the ramp begins at epoch {} and has only {} of the {} epochs of the policy",
    "`ramp_epoch_offset` counts from `starting_epoch`. An absolute epoch moves the steep part towards the end of "
    "the policy, and changes both slopes.",
    "write the epochs from the start of the policy to the ramp")

// Returns true if a ramp is late, but would be in the usual part of the policy if its offset were an absolute epoch.
static bool is_late_ramp(const Policy& policy, double offset) {
  constexpr double kUsualShare = 0.6;  // of the policy before the ramp
  constexpr double kLeastLength = 10;  // of a policy whose parts tell anything
  const double length = policy.end.value - policy.start.value;
  return policy.start.value > 1 && length >= kLeastLength && offset > policy.start.value &&
         offset > kUsualShare * length && offset - policy.start.value <= kUsualShare * length;
}

// An offset within the epochs of the policy is probably an absolute epoch.
static void check_ramp_offset(const Policy& policy, diag::Sink& sink) {
  const Field* field = policy.component->fields.readable("ramp_epoch_offset");
  const auto offset = field == nullptr ? std::nullopt : field->value.number();
  if (!offset || policy.lists) return;
  const double begin = policy.start.value + *offset;
  const bool beyond = begin >= policy.end.value;
  if (!beyond && !is_late_ramp(policy, *offset)) return;
  auto& report = beyond ? sink.report(diag::ramp_offset_beyond_end, field->value.span, begin, policy.end.value)
                        : sink.report(diag::ramp_offset_late, field->value.span, begin, policy.end.value - begin,
                                      policy.end.value - policy.start.value);
  report.with_label(policy.start.span, "the offset counts from this epoch");
  if (policy.start.value <= 0 || *offset <= policy.start.value || *offset >= policy.end.value) return;
  const std::string meant = fmt::format("{}", *offset - policy.start.value);
  report.with_help(fmt::format("write `ramp_epoch_offset: {}` for a ramp from epoch {} on", meant, *offset))
      .with_fix(diag::Fix::unsafe().replace(field->value.span, meant));
}

DIAGNOSTIC(SP722, splices_nothing, silent_warning, (Text),
           "`{}` cannot restore pruned weights, because the policy zeroes them",
           "SplicingPruner restores a weight whose magnitude rises above the upper threshold. Without "
           "`mask_on_forward_only`, the mask sets the stored weight to 0 after each update, so that it never rises.",
           "add `args: {{mask_on_forward_only: true, keep_mask: true}}` to the policy")

DIAGNOSTIC(
    SP726, splice_thresholds_swapped, warning, (Text, Text), "`low_thresh_mult` {} is above `hi_thresh_mult` {}",
    "SplicingPruner masks a weight below the lower threshold, restores one above the upper threshold, and leaves "
    "the mask in between as it is. If the lower threshold is above the upper one, nothing is left as it is, so "
    "that weights near the thresholds are masked and restored again and again.",
    "swap the two values")

static void check_splice_thresholds(const Record& pruner, diag::Sink& sink) {
  const Field* low = pruner.readable("low_thresh_mult");
  const Field* high = pruner.readable("hi_thresh_mult");
  if (low == nullptr || high == nullptr || !low->value.number() || !high->value.number()) return;
  if (!(*low->value.number() > *high->value.number()) || *high->value.number() <= 0) return;
  sink.report(diag::splice_thresholds_swapped, low->value.span, source::python_str(low->value),
              source::python_str(high->value))
      .with_label(high->value.span, "the upper threshold")
      .with_help(fmt::format("write `low_thresh_mult: {}` and `hi_thresh_mult: {}`", source::python_str(high->value),
                             source::python_str(low->value)))
      .with_fix(diag::Fix::unsafe().swap(low->value.span, high->value.span));
}

static void check_splicing(const Policy& policy, diag::Sink& sink) {
  const bool given = policy.args.record.find("mask_on_forward_only") != nullptr;
  if (policy.args.mask_on_forward_only) return;
  auto& report = sink.report(diag::splices_nothing, policy.place, policy.component->name);
  if (given) {
    report.with_help("write `mask_on_forward_only: true`, and `keep_mask: true` to zero the weights at the end");
  } else if (policy.args.record.fields.begin() != policy.args.record.fields.end()) {
    report.with_help("add `mask_on_forward_only: true` and `keep_mask: true` to its `args`");
  }
}

static void check_course(Policy& policy, diag::Sink& sink) {
  const Component& component = *policy.component;
  const auto kind = component.spec->kind.as<ClassKind>();
  const bool ramp = kind == ClassKind::gradual || kind == ClassKind::ranked_gradual;
  if (!policy.acts) {
    return;
  }
  if (kind == ClassKind::ranked) check_group_divisor(policy, sink);
  if (kind == ClassKind::baidu) check_ramp_offset(policy, sink);
  if (kind == ClassKind::splicing && policy.valid) {
    check_splicing(policy, sink);
    check_splice_thresholds(component.fields, sink);
  }
  if (policy.lists && needs_range(*component.spec)) {
    policy.valid = false;
    report_list(policy, sink);
  } else if (kind == ClassKind::baidu && slope_is_infinite(policy)) {
    policy.valid = false;
    report_infinite_slope(component, sink);
  } else if (ramp && ir::epochs_passed(policy.start.value, policy.end.value, policy.every.value) == 0) {
    policy.valid = false;
    report_single_epoch(policy, sink);
  }
}

bool runs(const Policy& policy, Section section) {
  return policy.kind != nullptr && policy.kind->section == section && policy.component != nullptr &&
         policy.component->spec != nullptr && policy.valid && policy.acts;
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

constexpr std::size_t kMaxActive = 10'000;  // epochs of a policy that are checked one by one
constexpr std::size_t kMaxLater = 20;       // policies that are compared with one before them

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
  for (const std::int64_t epoch : policy.active(kMaxActive)) {
    const auto next = static_cast<double>(epoch) + 1;
    if (next <= last + 1 && ir::fails_at(course, next)) return next;
  }
  return std::nullopt;
}

// Returns the epochs after which later policies of other schedulers compute the rate, and so replace it.
static std::set<std::int64_t> replaced_after(const Policy& policy, std::span<const Policy> later) {
  std::set<std::int64_t> epochs;
  for (const Policy& other : later.first(std::min(later.size(), kMaxLater))) {
    if (other.kind != policy.kind || !other.valid || !other.acts || other.component == policy.component) continue;
    const bool known = other.component != nullptr && other.component->valid && other.component->spec != nullptr;
    const auto course = known ? course_of(*other.component) : std::nullopt;
    if (!course || std::holds_alternative<ir::Plateau>(*course)) continue;
    for (const std::int64_t epoch : other.active(kMaxActive)) {
      if (!ir::fails_at(*course, static_cast<double>(epoch) + 1)) epochs.insert(epoch);
    }
  }
  return epochs;
}

// Returns true if no step uses a rate that is complex. The division by 0 of a negative power always fails.
static bool uses_no_complex_rate(const ir::PolynomialDecay& decay, const Policy& policy, double last,
                                 std::span<const Policy> later) {
  const std::set<std::int64_t> replaced = replaced_after(policy, later);
  return decay.power > 0 && !replaced.empty() &&
         std::ranges::all_of(policy.active(kMaxActive), [&](std::int64_t epoch) {
           const auto next = static_cast<double>(epoch) + 1;
           return next > last + 1 || !ir::fails_at(decay, next) || replaced.contains(epoch);
         });
}

// After each active epoch the scheduler computes the rate of the next epoch.
static void check_rates(Policy& policy, const ReadOptions& options, std::span<const Policy> later, diag::Sink& sink) {
  const Component& component = *policy.component;
  const auto course = component.valid && policy.acts ? component.course : std::nullopt;
  // A complex rate is only detected in the step that uses it.
  const auto* decay = course ? std::get_if<ir::PolynomialDecay>(&*course) : nullptr;
  const bool complex = decay != nullptr && decay->epochs != 0;
  const double last =
      last_active_before(policy, options.epochs && complex ? std::optional(*options.epochs - 1) : options.epochs);
  const auto failing = course && last >= 0 ? failing_epoch(*course, policy, last) : std::nullopt;
  if (failing && !(complex && uses_no_complex_rate(*decay, policy, last, later))) {
    policy.valid = false;
    sink.report(diag::rate_not_computable, policy.place_of_epochs(), component.spec->name, fmt::format("{}", *failing))
        .with_label(component.fields.key, "this scheduler");
  }
}

void check_run(Policy& policy, const ReadOptions& options, std::span<const Policy> later, const Context& context) {
  diag::Sink& sink = context.sink;
  if (policy.component->spec == nullptr) {
    policy.valid = false;
    return;
  }
  if (policy.acts && fails_by_class(policy, sink)) {
    policy.valid = false;
  } else if (policy.valid && policy.kind->section == Section::pruners) {
    check_course(policy, sink);
  } else if (policy.valid && policy.kind->section == Section::lr_schedulers && !context.is_ai8x()) {
    check_rates(policy, options, later, sink);
  }
}

}  // namespace sparsecfg::dialect::distiller
