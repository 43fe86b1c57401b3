#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"
#include "doc/construct.h"
#include "ir/epoch_rate_curve.h"

// Checks of schedules that run with ai8x-training: the start of QAT, and names of weights (docs/semantics/ai8x.md#b1-3,
// #b2-1).
namespace sparsecfg::dialect::distiller {

// --- policies by epoch ----------------------------------------------------------------------------------

constexpr std::size_t kMaxFollowed = 100'000;

struct ActiveEpochs {
  std::set<std::int64_t> epochs;
  bool complete = true;  // false if a policy could not be read, or has too many epochs
};

static ActiveEpochs active_epochs(const std::vector<Policy>& policies) {
  ActiveEpochs out;
  for (const Policy& policy : policies) {
    out.complete = out.complete && policy.valid && policy.over() <= static_cast<double>(kMaxFollowed);
    if (!out.complete) {
      break;
    }
    const auto active = policy.active(kMaxFollowed);
    out.epochs.insert(active.begin(), active.end());
  }
  return out;
}

// Returns the first epoch without a policy among the first n, where n is the number of epochs with one.
static std::optional<std::int64_t> first_gap(const std::set<std::int64_t>& epochs) {
  std::int64_t expected = 0;
  for (const std::int64_t epoch : epochs) {
    if (epoch != expected) return expected;
    ++expected;
  }
  return std::nullopt;
}

static bool is_within(double epoch, const ReadOptions& options) { return !options.epochs || epoch < *options.epochs; }

DIAGNOSTIC(AX103, policies_with_gaps, warning, (Text, Text), "training stops when QAT starts{}: epoch {} has no policy",
           "When QAT starts, train.py looks up the policies of the epochs 0 to n-1, where n is the number of epochs "
           "with a policy. It stops with a KeyError at the first one without. Schedules are safe if every epoch from "
           "0 to the end of the last policy has one. A scheduler with `gamma: 1.0` changes nothing and fills gaps.",
           "add a policy of a scheduler from epoch 0 with `frequency: 1`, and leave no gap between policies")

// The value that closes a gap between policies.
struct GapEdit {
  source::Span place;
  std::string_view name;
  std::string value;
  bool milestones = false;  // true for a scheduler with milestones, which count from the start of its policy
};

static double end_of_policies(const std::vector<Policy>& policies, const ReadOptions& options) {
  double end = options.epochs.value_or(0);
  for (const Policy& policy : policies) end = std::max(end, policy.over());
  return end;
}

static std::vector<const Policy*> ranges_of(const std::vector<Policy>& policies, bool schedulers) {
  std::vector<const Policy*> ranges;
  for (const Policy& policy : policies) {
    if (!policy.valid || policy.lists || policy.kind == nullptr) continue;
    if ((policy.kind->section == Section::lr_schedulers) == schedulers) ranges.push_back(&policy);
  }
  return ranges;
}

static bool has_milestones(const Policy& policy) {
  return policy.component != nullptr && !milestones_of(*policy.component).empty();
}

static bool skips(const Policy& policy, double epoch) {
  return policy.start.value < epoch && epoch < policy.end.value && policy.every.value > 1;
}

// Returns the edit of a policy of a scheduler that skips the gap, follows it, or ends before it. An earlier start or a
// later end of a scheduler with milestones changes no rate.
static std::optional<GapEdit> edit_for_gap(const std::vector<Policy>& policies, std::int64_t gap, double end) {
  const auto epoch = static_cast<double>(gap);
  const std::vector<const Policy*> schedulers = ranges_of(policies, true);
  for (const Policy* each : schedulers) {
    if (skips(*each, epoch)) return GapEdit{each->every.span, "frequency", "1"};
    const bool milestones = has_milestones(*each);
    const std::string start = milestones ? "0" : fmt::format("{}", gap);
    if (each->start.value > epoch) return GapEdit{each->start.span, "starting_epoch", start, milestones};
  }
  for (const Policy* each : schedulers) {
    if (has_milestones(*each) && each->end.value <= epoch)
      return GapEdit{each->end.span, "ending_epoch", fmt::format("{}", end)};
  }
  return std::nullopt;
}

// Returns the value that leaves an epoch out: the interval of a policy, or the start of the next one.
static source::Span place_of_gap(const std::vector<Policy>& policies, std::int64_t gap) {
  const auto epoch = static_cast<double>(gap);
  const Policy* next = nullptr;
  for (const Policy* each : ranges_of(policies, false)) {
    if (skips(*each, epoch)) return each->every.span;
    const bool follows = each->start.value > epoch;
    if (follows && (next == nullptr || each->start.value < next->start.value)) next = each;
  }
  return next == nullptr ? policies.front().place_of_epochs() : next->start.span;
}

// The other policies keep their epochs, so that a policy that changes no rate has to fill the gap.
static void offer_constant_rate(diag::Diagnostic& report, double end, const Context& context) {
  const std::string name = unused_name(context.file, "constant_lr");
  const std::string scheduler =
      fmt::format("{}: {{class: MultiStepLR, milestones: [{}], gamma: 1.0}}", name, std::floor(end / 2));
  const std::string policy = fmt::format(
      "{{lr_scheduler: {{instance_name: {}}}, starting_epoch: 0, ending_epoch: {}, frequency: 1}}", name, end);
  const SectionNode schedulers = section_of(context, "lr_schedulers");
  const SectionNode policies = section_of(context, "policies");
  const bool adds_section = schedulers.key.empty();
  const source::Span beside = adds_section ? section_of(context, "pruners").key : schedulers.last;
  const std::string entry = adds_section ? fmt::format("lr_schedulers: {{{}}}", scheduler) : scheduler;
  report.with_help(fmt::format("add `{}` {}and the policy `{}`, which fills the gap and changes no rate", entry,
                               adds_section ? "" : "to `lr_schedulers` ", policy));
  if (!beside.empty()) report.with_fix(diag::Fix::unsafe().add_entry(beside, entry).append(policies.value, policy));
}

// Returns true if the file quotes a command of train.py that disables QAT, as comments of schedules often do.
static bool runs_without_qat(const source::SourceFile& file) {
  constexpr std::string_view kOption = "--qat-policy";
  const std::string_view text = file.text();
  const std::size_t at = text.find(kOption);
  if (at == std::string_view::npos) return false;
  std::string_view value = text.substr(at + kOption.size());
  value.remove_prefix(std::min(value.find_first_not_of(" =\\\"'"), value.size()));
  return base::to_lower(value.substr(0, 4)) == "none";
}

static void check_gaps(const std::vector<Policy>& policies, const ReadOptions& options, const Context& context) {
  const ActiveEpochs active = active_epochs(policies);
  const auto gap = active.complete ? first_gap(active.epochs) : std::nullopt;
  const bool no_qat = options.without_qat || runs_without_qat(context.file);
  if (!gap || no_qat || (options.qat_start && !is_within(*options.qat_start, options))) {
    return;
  }
  const double end = end_of_policies(policies, options);
  const std::optional<GapEdit> edit = edit_for_gap(policies, *gap, end);
  auto& report = context.sink.report(diag::policies_with_gaps, edit ? edit->place : place_of_gap(policies, *gap),
                                     options.qat_start ? fmt::format(" at epoch {}", *options.qat_start) : "",
                                     fmt::format("{}", *gap));
  report.with_severity(options.qat_start ? diag::Severity::error : diag::Severity::warning);
  if (!edit) {
    offer_constant_rate(report, end, context);
    return;
  }
  if (edit->name == "starting_epoch" && edit->milestones)
    report.with_caret("its milestones also count from this epoch");
  report.with_help(fmt::format("write `{}: {}`", edit->name, edit->value))
      .with_fix(diag::Fix::unsafe().replace(edit->place, edit->value));
}

// --- rates ----------------------------------------------------------------------------------------------

static bool moves_rate_before(const Policy& policy, double epoch) {
  if (policy.kind == nullptr || policy.kind->section != Section::lr_schedulers || !policy.valid ||
      policy.component == nullptr || policy.component->spec == nullptr) {
    return false;
  }
  const auto& course = policy.component->course;
  double steps = 0;
  for (const std::int64_t active : policy.active(kMaxFollowed)) steps += static_cast<double>(active) < epoch ? 1 : 0;
  for (double step = 1; course && step <= steps; ++step) {
    const auto rate = ir::rate_after(*course, 1.0, 1.0, step);
    if (!rate || *rate != 1) return true;
  }
  return !course;
}

DIAGNOSTIC(AX104, rate_not_lowered, info, (Text),
           "the learning rate is still the initial one when QAT starts at epoch {}",
           "ai8x-training advises to start QAT when the learning rate is small, near the end of the training. The "
           "default `start_epoch` of 30 is often too early.",
           "raise `start_epoch`, or lower the learning rate before it")

// A schedule without any learning rate leaves it to the user.
static void check_rate(const std::vector<Policy>& policies, double start, diag::Sink& sink) {
  const auto moves = [](const Policy& each) {
    return each.kind != nullptr && each.kind->section == Section::lr_schedulers;
  };
  const auto first = std::ranges::find_if(policies, moves);
  const bool lowered =
      std::ranges::any_of(policies, [&](const Policy& each) { return moves_rate_before(each, start); });
  if (first != policies.end() && first->component != nullptr && !lowered) {
    sink.report(diag::rate_not_lowered, first->component->fields.place("milestones"), fmt::format("{}", start));
  }
}

DIAGNOSTIC(AX107, loss_rate_frozen, warning, (Text), "from QAT at epoch {} on, this scheduler changes the model's rate",
           "When QAT starts, train.py gives the new optimizer of the model to every scheduler. A scheduler of "
           "`loss_lr_schedulers` then changes the learning rate of the model, and the rate of the loss stays.",
           "end the policy before QAT starts")

static void check_losses(const std::vector<Policy>& policies, double start, diag::Sink& sink) {
  for (const Policy& policy : policies) {
    const bool losses = policy.kind != nullptr && policy.kind->section == Section::loss_lr_schedulers;
    if (losses && policy.valid && policy.over() > start) {
      sink.report(diag::loss_rate_frozen, policy.place, fmt::format("{}", start));
    }
  }
}

// --- milestones -----------------------------------------------------------------------------------------

DIAGNOSTIC(AX108, milestones_shifted, silent_warning, (Text, Text),
           "the milestones count from epoch {}: the rate drops {}",
           "The Distiller of ai8x-training steps a learning rate scheduler once per active epoch of its policy, and "
           "milestones are numbers of steps. A policy that starts late shifts every milestone by its start. In the "
           "Distiller of IntelLabs, milestones are epochs.",
           "start the policy at epoch 0, so that milestones are epochs")

// Returns true if no other policy steps the scheduler, and this one does in every epoch of its range.
static bool steps_alone(const Policy& policy, const std::vector<Policy>& policies) {
  const auto shares = [&](const Policy& other) { return &other != &policy && other.component == policy.component; };
  return policy.valid && !policy.lists && policy.every.value == 1 && policy.component != nullptr &&
         policy.component->valid && policy.kind != nullptr && policy.kind->section == Section::lr_schedulers &&
         std::ranges::none_of(policies, shares);
}

// Returns the numbers as text, each one larger by `shift`.
static std::vector<std::string> shifted(const std::vector<double>& numbers, double shift) {
  std::vector<std::string> out;
  for (const double number : numbers) out.push_back(fmt::format("{}", number + shift));
  return out;
}

// Milestones that are epochs of the policy were probably meant as epochs if the shift moves some of them behind it.
static void check_milestones(const Policy& policy, diag::Sink& sink) {
  const double start = policy.start.value;
  const double end = policy.end.value;
  std::vector<double> epochs;
  for (const Value& each : milestones_of(*policy.component)) epochs.push_back(each.number().value_or(0));
  const bool meant = std::ranges::all_of(epochs, [&](double epoch) { return epoch > start && epoch < end; });
  std::vector<double> reached;
  std::ranges::copy_if(epochs, std::back_inserter(reached), [&](double epoch) { return epoch + start < end; });
  if (start < 1 || epochs.empty() || !meant || reached.size() == epochs.size()) return;
  const std::vector<std::string> drops = shifted(reached, start);
  const std::string when =
      drops.empty() ? "never" : fmt::format("at epoch{} {}", drops.size() == 1 ? "" : "s", fmt::join(drops, ", "));
  sink.report(diag::milestones_shifted, policy.start.span, fmt::format("{}", start), when)
      .with_label(policy.component->fields.place("milestones"),
                  fmt::format("{} of these {} never reached", epochs.size() - reached.size(),
                              epochs.size() - reached.size() == 1 ? "is" : "are"))
      .with_help(fmt::format("write `starting_epoch: 0`, so that milestones are epochs, or `milestones: [{}]`",
                             fmt::join(shifted(epochs, -start), ", ")))
      .with_fix(diag::Fix::unsafe().replace(policy.start.span, "0"));
}

void check_with_qat(const std::vector<Policy>& policies, const ReadOptions& options, const Context& context) {
  check_gaps(policies, options, context);
  for (const Policy& policy : policies) {
    if (steps_alone(policy, policies)) check_milestones(policy, context.sink);
  }
  if (options.qat_start && is_within(*options.qat_start, options)) {
    check_rate(policies, *options.qat_start, context.sink);
    check_losses(policies, *options.qat_start, context.sink);
  }
}

// --- names ----------------------------------------------------------------------------------------------

constexpr std::string_view kNamingFields[] = {"weights", "levels", "thresholds", "sensitivities", "reg_regims"};

static bool is_outside_op(const std::string& name) {
  const bool weight = name.ends_with(".weight") || name.ends_with(".bias");
  return weight && !name.ends_with(".op.weight") && !name.ends_with(".op.bias") && name.find("bn") == std::string::npos;
}

DIAGNOSTIC(AX105, weight_outside_op, warning, (Text), "`{}` is no weight of an ai8x layer",
           "Layers of ai8x.py store their parameters in the inner module `op`, so their names end with `.op.weight` "
           "and `.op.bias`. Distiller silently ignores names that match no parameter.",
           "write `.op.weight` for layers of ai8x.py, or pass the names of the model with `--params`")

static void report_outside_op(const Value& value, const std::string& name, diag::Sink& sink) {
  const std::size_t dot = name.rfind('.');
  const std::string meant = name.substr(0, dot) + ".op" + name.substr(dot);
  sink.report(diag::weight_outside_op, value.span, name)
      .with_help(fmt::format("write `{}` if this is a layer of ai8x.py", meant))
      .with_fix(diag::Fix::unsafe().content(value.span, meant));
}

DIAGNOSTIC(AX106, star_selects_settings, warning, (), "`*` also selects parameters that are not weights",
           "Layers of ai8x.py have parameters such as `output_shift` and `weight_bits` with a single element, some of "
           "them ints or booleans. A pruner that selects them stops the training at its first update.",
           "list the weights by name")

// Reports each `*` and the first name of a field. The names of the model, if known, are compared by another check.
static void check_names(const Field& field, const Context& context) {
  const Names names = Names::from(field.value).value_or(Names());
  for (const Value* value : names.values) {
    const auto* name = names.searched ? nullptr : value->get<std::string>();
    if (name != nullptr && *name == "*") {
      context.sink.report(diag::star_selects_settings, value->span)
          .with_help("delete the entry of `*`, and add an entry for each other weight, such as `conv2.op.weight`");
    } else if (name != nullptr && context.parameters == nullptr && is_outside_op(*name)) {
      report_outside_op(*value, *name, context.sink);
      return;
    }
  }
}

void check_ai8x_names(const Components& components, const Context& context) {
  for (const Component& component : components.all) {
    const bool prunes = component.section == Section::pruners || component.section == Section::regularizers;
    for (const Field& field : component.fields.fields) {
      const bool names = std::ranges::find(kNamingFields, field.name) != std::end(kNamingFields);
      if (prunes && component.used && names) check_names(field, context);
    }
  }
}

}  // namespace sparsecfg::dialect::distiller
