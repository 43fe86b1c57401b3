#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/policy.h"
#include "dialect/record/related.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

// Checks of the constructors. They compare bounds later, with other arguments.
class ArgumentPolicy : public SchemaPolicy {
 public:
  ArgumentPolicy(const Context& context, bool wraps) : SchemaPolicy(context), wraps_(wraps) {}

  [[nodiscard]] std::optional<diag::Severity> severity(const InvalidValue& invalid) const override {
    return invalid.kind == InvalidValue::Kind::bounds ? std::nullopt : SchemaPolicy::severity(invalid);
  }

  // The pruner that another one wraps has been read already.
  bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const override {
    if (counts_epochs(record)) return false;
    return (spec.name == "pruner" && wraps_) || SchemaPolicy::report_missing(record, spec, names);
  }

  // Reports the epochs of AGP in other systems once.
  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    const auto report = [&](const RelatedFields& fields) { report_epochs(record, fields); };
    if (counts_epochs(record) && report_related(record.fields, field, is_epoch_key, report)) return false;
    return SchemaPolicy::report_unknown(record, field, names);
  }

 private:
  static bool is_epoch_key(const Field& field) {
    static constexpr std::string_view kKeys[] = {"start_epoch",  "end_epoch", "starting_epoch",
                                                 "ending_epoch", "frequency", "update_frequency"};
    return base::contains(kKeys, std::string_view(field.name));
  }

  static bool counts_epochs(const Record& record) {
    return record.spec->find("interval_steps") != nullptr && std::ranges::any_of(record.fields, is_epoch_key);
  }

  static double number_of(const Record& record, std::string_view one, std::string_view other, double otherwise) {
    const Field* field = record.find(one) != nullptr ? record.find(one) : record.find(other);
    return field == nullptr ? otherwise : field->value.number().value_or(otherwise);
  }

  void report_epochs(const Record& record, const RelatedFields& fields) const {
    const Field& first = *fields.front();
    const double every = std::max(number_of(record, "frequency", "update_frequency", 1), 1.0);
    const double span =
        number_of(record, "end_epoch", "ending_epoch", 0) - number_of(record, "start_epoch", "starting_epoch", 0);
    auto& report = sink_.report(diag::unknown_field, first.key, first.name, fmt::format("`{}`", record.spec->name));
    label_others(report, fields);
    const std::string_view wrapped =
        record.find("pruner") == nullptr && !wraps_ ? "`pruner: {class: LevelPruner}`, " : "";
    report.with_help(
        fmt::format("NNI 3.0 counts steps: write {}`interval_steps: N` with the steps of {} {}, and "
                    "`total_times: {}` instead",
                    wrapped, every, every == 1 ? "epoch" : "epochs", std::max(std::ceil(span / every), 1.0)));
  }

  bool wraps_;
};

static void check_part(Compressor& compressor, const ConstructorCall& part, const Context& context) {
  Record record{part.spec, part.name.span, fields_of(part.arguments), true, {}, {}, 0};
  check_fields(ArgumentPolicy(context, compressor.inner.has_value()), record);
  const bool supported = check_unsupported(record, context.sink);
  compressor.valid = compressor.valid && record.valid && supported;
}

static const Value& argument(const ConstructorCall& part, std::string_view name) {
  return *find_value(part.arguments, name);
}

// --- length of the run ------------------------------------------------------------------------------------

DIAGNOSTIC(SP315, nni_steps_mismatch, error, (Text, Text), "{}, but `max_steps` is {}",
           "NNI compares the last step of the schedule with the steps of the run, and stops with an AssertionError if "
           "the run is too short.",
           "choose a number of steps that matches")

// Checks that the run reaches step `needed`. `reason`: the argument that requires the step. The last compressor runs
// all compressors together, and only it compares steps.
static void check_run_reaches(Compressor& compressor, const Configuration& configuration, double needed,
                              const std::string& reason, const Value& argument, diag::Sink& sink) {
  const auto& max = configuration.max_steps;
  const bool compares = &compressor == &configuration.compressors.back();
  if (compares && max && *max->second.number() < needed) {
    compressor.valid = false;
    const std::string steps = fmt::format("{:.15g}", std::ceil(needed));
    sink.report(diag::nni_steps_mismatch, max->second.span, reason, source::python_str(max->second))
        .with_label(argument.span, "the schedule")
        .with_help(fmt::format("write `max_steps: {}` or more", steps))
        .with_fix(diag::Fix::unsafe().replace(max->second.span, steps));
  }
}

DIAGNOSTIC(SP326, length_not_accepted, error, (Text, Text), "`compress` of `{}` does not accept `{}`",
           "The class has no schedule that depends on the length of the run. NNI stops with an AssertionError if the "
           "length is passed. Only a common run of several compressors accepts it.",
           "delete `{1}`")

static void check_no_length(Compressor& compressor, const Configuration& configuration, diag::Sink& sink) {
  const bool single = configuration.compressors.size() == 1;
  for (const auto* given : {&configuration.max_steps, &configuration.max_epochs}) {
    if (single && *given) {
      compressor.valid = false;
      sink.report(diag::length_not_accepted, (*given)->first.span, compressor.main->spec->name, name_of(**given));
    }
  }
}

// --- schedules --------------------------------------------------------------------------------------------

DIAGNOSTIC(SP325, movement_window, error, (Text, Text),
           "`warmup_step` {} must be at least 0 and one step before `cooldown_begin_step` {}",
           "The sparsity rises between the two steps. The constructor rejects a negative start and an end that is not "
           "after the start, and the first step divides by the number of whole steps between them.",
           "write a `warmup_step` from 0 on and a `cooldown_begin_step` after it")

// Returns false if the window is reported. A pruner that another one wraps does not use the number of steps.
static bool check_window(Compressor& compressor, const ConstructorCall& part, diag::Sink& sink) {
  const Value& warmup = argument(part, "warmup_step");
  const Value& cooldown = argument(part, "cooldown_begin_step");
  const bool ordered = *warmup.number() >= 0 && *warmup.number() < *cooldown.number();
  const bool divides = &part == &*compressor.main;
  if (ordered && !(divides && std::floor(*cooldown.number() - *warmup.number()) == 0)) {
    return true;
  }
  compressor.valid = false;
  sink.report(diag::movement_window, warmup.span, source::python_str(warmup), source::python_str(cooldown));
  return false;
}

static void check_movement(Compressor& compressor, const Configuration& configuration, diag::Sink& sink) {
  const Value& cooldown = argument(*compressor.main, "cooldown_begin_step");
  if (check_window(compressor, *compressor.main, sink)) {
    check_run_reaches(compressor, configuration, *cooldown.number(),
                      fmt::format("`cooldown_begin_step` is {}", source::python_str(cooldown)), cooldown, sink);
  }
}

DIAGNOSTIC(SP324, update_before_training, error, (Text, Text),
           "`training_steps` {} of the inner pruner is more than `interval_steps` {}",
           "The inner pruner trains for `training_steps` before it makes a mask, and the outer pruner increases the "
           "ratio every `interval_steps`. NNI stops with an AssertionError if the ratio increases before the mask "
           "exists.",
           "write `training_steps` of at most `interval_steps`")

static void check_inner_training(Compressor& compressor, const Value& interval, diag::Sink& sink) {
  const Value& training = argument(*compressor.inner, "training_steps");
  // A negative interval never ends, so no mask is made.
  if (training.number() > interval.number() && interval.number() >= 0.0) {
    compressor.valid = false;
    sink.report(diag::update_before_training, training.span, source::python_str(training), source::python_str(interval))
        .with_label(interval.span, "the next increase comes earlier");
  }
}

DIAGNOSTIC(SP329, inner_pruner_refused, error, (Text, Text), "`{}` can't increase the ratio of `{}`",
           "LinearPruner and AGPPruner increase the ratios of the pruner that they wrap. NNI stops if that class is no "
           "pruner, or is LinearPruner or AGPPruner itself.",
           "wrap a pruner without a ramp, such as `L1NormPruner`")

DIAGNOSTIC(SP330, inner_has_schedule, warning, (Text), "`{}` wraps a pruner that has its own schedule",
           "MovementPruner increases its ratio between `warmup_step` and `cooldown_begin_step`. NNI logs a warning and "
           "applies both schedules.",
           "use only one of the two pruners")

static void check_inner(Compressor& compressor, const Value& interval, diag::Sink& sink) {
  const ConstructorCall& inner = *compressor.inner;
  const auto schedule = inner.spec->kind.as<Schedule>();
  const std::string_view outer = compressor.main->spec->name;
  if (inner.spec->section != Mode::pruning || schedule == Schedule::repeated) {
    compressor.valid = false;
    sink.report(diag::inner_pruner_refused, inner.name.span, outer, inner.spec->name);
  } else if (schedule == Schedule::movement) {
    sink.report(diag::inner_has_schedule, inner.name.span, outer);
    check_window(compressor, inner, sink);
  } else if (schedule == Schedule::after) {
    check_inner_training(compressor, interval, sink);
  }
}

static void check_repeated(Compressor& compressor, const Configuration& configuration, diag::Sink& sink) {
  const ConstructorCall& main = *compressor.main;
  const Value& interval = argument(main, "interval_steps");
  const Value& times = argument(main, "total_times");
  if (compressor.inner && compressor.inner->spec != nullptr) {
    check_inner(compressor, interval, sink);
  }
  const double needed = *interval.number() * *times.number();
  check_run_reaches(compressor, configuration, needed, fmt::format("`{}` needs {:.15g} steps", main.spec->name, needed),
                    times, sink);
}

// --- common runs ------------------------------------------------------------------------------------------

static bool needs_training(const Compressor& compressor) {
  const ClassSpec* spec = compressor.main ? compressor.main->spec : nullptr;
  return spec == nullptr || spec->kind != Schedule::at_once;
}

DIAGNOSTIC(SP331, no_evaluator, error, (Text), "`{}` can't be combined only with compressors that need no training",
           "Compressors that need no training have no evaluator, but a common run of several compressors requires one. "
           "NNI stops when the run starts.",
           "use one script per compressor, or merge the `config_list`s of the same class")

// In a common run, a pruner waits for its step, but a pruner without a schedule never reaches it.
static void check_fused(Compressor& compressor, const Configuration& configuration, diag::Sink& sink) {
  const ConstructorCall& main = *compressor.main;
  if (std::ranges::none_of(configuration.compressors, needs_training)) {
    compressor.valid = false;
    sink.report(diag::no_evaluator, main.name.span, main.spec->name)
        .with_help(
            "NNI requires an evaluator then: use one script per compressor, or merge the `config_list`s of the same "
            "class");
    return;
  }
  sink.report(diag::never_starts, main.name.span, fmt::format("the mask update of `{}`", main.spec->name))
      .with_help(
          "run it separately before the others, or wrap it in `LinearPruner` with `interval_steps: 1`, `total_times: "
          "1`");
}

static void check_compressor(Compressor& compressor, const Configuration& configuration, const Context& context) {
  diag::Sink& sink = context.sink;
  for (const auto* part : {&compressor.main, &compressor.inner}) {
    if (*part && (*part)->spec != nullptr) check_part(compressor, **part, context);
  }
  if (!compressor.valid || compressor.main->spec == nullptr) {
    return;
  }
  switch (compressor.main->spec->kind.as<Schedule>()) {
    case Schedule::repeated: check_repeated(compressor, configuration, sink); break;
    case Schedule::movement: check_movement(compressor, configuration, sink); break;
    case Schedule::after: check_no_length(compressor, configuration, sink); break;
    case Schedule::at_once:
      compressor.fused ? check_fused(compressor, configuration, sink)
                       : check_no_length(compressor, configuration, sink);
      break;
    case Schedule::from_step:
    case Schedule::always: break;
  }
}

void check_arguments(Configuration& configuration, const Context& context) {
  for (Compressor& compressor : configuration.compressors) {
    if (compressor.main) check_compressor(compressor, configuration, context);
  }
}

}  // namespace sparsecfg::dialect::nni
