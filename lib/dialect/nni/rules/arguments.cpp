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

// The run of a compressor.
struct Run {
  const RunLength& length;
  std::optional<std::size_t> steps_per_epoch;
  bool single;     // true if no other compressor shares the run
  bool compares;   // true if the compressor compares its steps with the length, as the last one of a run does
  bool untrained;  // true if no compressor of the run needs training
};

// Checks of the constructors. They compare bounds later, with other arguments.
class ArgumentPolicy : public SchemaPolicy {
 public:
  ArgumentPolicy(const Context& context, const ConstructorCall& call, bool wraps)
      : SchemaPolicy(context), call_(call), in_script_(context.in_script), wraps_(wraps) {}

  [[nodiscard]] std::optional<diag::Severity> severity(const InvalidValue& invalid) const override {
    return invalid.kind == InvalidValue::Kind::bounds ? std::nullopt : SchemaPolicy::severity(invalid);
  }

  // The pruner that another one wraps has been read already.
  bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const override {
    if (counts_epochs(record) || is_older(record)) return false;
    const bool unknown = call_.unknown.contains(spec.name) || call_.unknown.contains("**");
    return (spec.name == "pruner" && wraps_) || unknown || SchemaPolicy::report_missing(record, spec, names);
  }

  // Reports the epochs of AGP in other systems once.
  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    const auto report = [&](const RelatedFields& fields) { report_epochs(record, fields); };
    if (counts_epochs(record) && report_related(record.fields, field, is_epoch_key, report)) return false;
    const auto report_all = [&](const RelatedFields& fields) { report_older(record, fields); };
    if (is_older(record) && report_related(record.fields, field, is_older_key, report_all)) return false;
    return SchemaPolicy::report_unknown(record, field, names);
  }

 private:
  static bool is_epoch_key(const Field& field) {
    static constexpr std::string_view kKeys[] = {"start_epoch",  "end_epoch", "starting_epoch",
                                                 "ending_epoch", "frequency", "update_frequency"};
    return base::contains(kKeys, std::string_view(field.name));
  }

  // Arguments of LinearPruner and AGPPruner of NNI 2.x, which make the wrapped pruner themselves.
  static bool is_older_key(const Field& field) {
    static constexpr std::string_view kKeys[] = {"pruning_algorithm", "total_iteration", "log_dir",
                                                 "keep_intermediate_result", "speedup"};
    return base::contains(kKeys, std::string_view(field.name));
  }

  static bool is_older(const Record& record) {
    return record.spec->find("interval_steps") != nullptr && record.find("interval_steps") == nullptr &&
           std::ranges::any_of(record.fields, is_older_key);
  }

  // Returns the class of NNI 3.0 that an algorithm of NNI 2.x stands for.
  static std::string_view class_of(std::string_view algorithm) {
    static constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
        {"l1", "L1NormPruner"}, {"l2", "L2NormPruner"},       {"fpgm", "FPGMPruner"},
        {"slim", "SlimPruner"}, {"taylorfo", "TaylorPruner"}, {"movement", "MovementPruner"}};
    const auto found = std::ranges::find(kClasses, algorithm, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kClasses) ? "LevelPruner" : found->second;
  }

  void report_older(const Record& record, const RelatedFields& fields) const {
    const Field& first = *fields.front();
    const Field* algorithm = record.find("pruning_algorithm");
    const auto* word = algorithm == nullptr ? nullptr : algorithm->value.get<std::string>();
    const std::string_view inner = class_of(word == nullptr ? "" : *word);
    const Field* iterations = record.find("total_iteration");
    const std::string times = iterations == nullptr ? "N" : source::python_str(iterations->value);
    auto& report = sink_.report(diag::unknown_field, first.key, first.name, fmt::format("`{}`", record.spec->name));
    label_others(report, fields);
    report.with_help(
        in_script_ ? fmt::format("this is NNI 2.x. In 3.0 write `{}({}(model, config_list), interval_steps=N, "
                                 "total_times={}, evaluator=evaluator)`, with N steps between two masks",
                                 record.spec->name, inner, times)
                   : fmt::format("this is NNI 2.x. In 3.0 write `pruner: {{class: {}}}`, `interval_steps: N` with the "
                                 "steps between two masks, and `total_times: {}`",
                                 inner, times));
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

  const ConstructorCall& call_;
  bool in_script_;
  bool wraps_;
};

// Writes an argument as the file does.
static std::string written(const Context& context, std::string_view name, std::string_view value) {
  return fmt::format("`{}{}{}`", name, context.in_script ? "=" : ": ", value);
}

// Returns the steps that fit into the run, so that an argument can be written; nullopt if they are unknown.
static std::optional<double> steps_that_fit(const Record& record, std::string_view name, const Run& run) {
  const Field* times = record.find("total_times");
  const auto count = times == nullptr ? std::optional(1.0) : times->value.number();
  const auto steps = run.length.steps();
  const bool scales = name == "interval_steps" && steps && count && *count >= 1 && std::floor(*steps / *count) >= 1;
  return scales ? std::optional(std::floor(*steps / *count)) : std::nullopt;
}

// Says what a number of steps means, with a number that fits the run if it is known.
static std::string advice_on_steps(const Record& record, const Field& field, const Run& run, const Context& context) {
  if (const auto fits = steps_that_fit(record, field.name, run)) {
    const double times = record.find("total_times") == nullptr ? 1 : *record.find("total_times")->value.number();
    return fmt::format("write {}: {:.15g} updates then take {:.15g} of the {:.15g} steps",
                       written(context, field.name, fmt::format("{:.15g}", *fits)), times, *fits * times,
                       *run.length.steps());
  }
  const double number = field.value.number().value_or(0);
  if (number >= 1) {
    return fmt::format("write {}, a whole number",
                       written(context, field.name, fmt::format("{:.15g}", std::floor(number))));
  }
  return number > 0 && number < 1
             ? fmt::format(
                   "the unit is optimizer steps. If you mean {:.15g} epochs, multiply by the steps of an epoch: "
                   "500 steps make {}",
                   number,
                   written(context, field.name, fmt::format("{:.15g}", std::max(std::round(number * 500), 1.0))))
             : std::string("write a number of optimizer steps, such as 500 for one epoch of 500 steps");
}

// Reports a number of steps that is never reached. Returns true if it is reported.
static bool report_never_reached(const Record& record, const Field& field, const Run& run, const Context& context) {
  const auto counts = [&](const Unsupported& row) {
    return &row.rule.info == &diag::never_updates.info && row.test(field.value);
  };
  if (field.name == "total_times" || std::ranges::none_of(field.spec->unsupported, counts)) return false;
  context.sink
      .report(diag::never_updates, field.value.span, field.name, record.spec->name, source::python_str(field.value))
      .with_help(advice_on_steps(record, field, run, context));
  return true;
}

static bool check_supported(const Record& record, const Run& run, const Context& context) {
  bool accepted = true;
  for (const Field& field : record.fields) {
    if (field.spec == nullptr || !field.valid || report_never_reached(record, field, run, context)) continue;
    accepted = check_unsupported(*field.spec, record.spec->name, field, context.sink) && accepted;
  }
  return accepted;
}

static void check_part(Compressor& compressor, const ConstructorCall& part, const Run& run, const Context& context) {
  Record record{part.spec, part.name.span, fields_of(part.arguments), true, {}, {}, 0};
  check_fields(ArgumentPolicy(context, part, compressor.inner.has_value()), record);
  const bool supported = check_supported(record, run, context);
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
static void check_run_reaches(Compressor& compressor, const Run& run, double needed, const std::string& reason,
                              const Value& argument, const Context& context) {
  const auto& max = run.length.max_steps;
  if (run.compares && max && *max->second.number() < needed) {
    compressor.valid = false;
    const std::string steps = fmt::format("{:.15g}", std::ceil(needed));
    context.sink.report(diag::nni_steps_mismatch, max->second.span, reason, source::python_str(max->second))
        .with_label(argument.span, "the schedule")
        .with_help(fmt::format("write {} or more", written(context, "max_steps", steps)))
        .with_fix(diag::Fix::unsafe().replace(max->second.span, steps));
  }
}

DIAGNOSTIC(SP326, length_not_accepted, error, (Text, Text), "`compress` of `{}` does not accept `{}`",
           "The class has no schedule that depends on the length of the run. NNI stops with an AssertionError if the "
           "length is passed. Only a common run of several compressors accepts it.",
           "delete `{1}`")

static void check_no_length(Compressor& compressor, const Run& run, diag::Sink& sink) {
  for (const auto* given : {&run.length.max_steps, &run.length.max_epochs}) {
    if (run.single && *given) {
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

// Advises on a window that ends before it starts. An exchange of the numbers would be accepted, but the second one can
// be the length of the cool-down instead of a step.
static void advise_on_early_end(diag::Diagnostic& report, const Value& warmup, const Value& cooldown,
                                std::optional<double> steps, const Context& context) {
  const double length = *cooldown.number();
  const bool fits = steps && length > 0 && *steps - length > *warmup.number();
  const std::string end = fmt::format("{:.15g}", fits ? *steps - length : 0);
  if (fits) {
    report
        .with_help(fmt::format("write {}: the value is the step at which the sparsity stops rising, {} before the last "
                               "step, {:.15g}",
                               written(context, "cooldown_begin_step", end), source::python_str(cooldown), *steps))
        .with_fix(diag::Fix::unsafe().replace(cooldown.span, end));
    return;
  }
  report.with_help(
      fmt::format("write a `cooldown_begin_step` after {}: it is the step at which the sparsity stops rising. For a "
                  "cool-down of {} steps, write the steps of the run minus {}",
                  source::python_str(warmup), source::python_str(cooldown), source::python_str(cooldown)));
}

// Fractions of the run become steps if its length is known.
static void report_window(const Value& warmup, const Value& cooldown, const Run& run, const Context& context) {
  const double first = *warmup.number();
  const double last = *cooldown.number();
  const auto steps = run.length.steps();
  const bool fractions = first >= 0 && first < last && last <= 1;
  const auto both = [&](double begin, double end) {
    return fmt::format("write {} and {}", written(context, "warmup_step", fmt::format("{:.15g}", begin)),
                       written(context, "cooldown_begin_step", fmt::format("{:.15g}", end)));
  };
  auto& report =
      context.sink.report(diag::movement_window, warmup.span, source::python_str(warmup), source::python_str(cooldown));
  report.with_label(cooldown.span, "the sparsity stops rising here");
  if (fractions && steps) {
    const double begin = std::round(first * *steps);
    const double end = std::round(last * *steps);
    report.with_help(fmt::format("{}: the unit is steps, and the run has {:.15g}", both(begin, end), *steps))
        .with_fix(diag::Fix::unsafe()
                      .replace(warmup.span, fmt::format("{:.15g}", begin))
                      .replace(cooldown.span, fmt::format("{:.15g}", end)));
  } else if (fractions) {
    report.with_help(fmt::format("the unit is optimizer steps, not fractions of the run: with 10000 steps {}",
                                 both(std::round(first * 10000), std::round(last * 10000))));
  } else if (last >= 0 && last < first) {
    advise_on_early_end(report, warmup, cooldown, steps, context);
  }
}

// Returns false if the window is reported. A pruner that another one wraps does not use the number of steps.
static bool check_window(Compressor& compressor, const ConstructorCall& part, const Run& run, const Context& context) {
  const Value& warmup = argument(part, "warmup_step");
  const Value& cooldown = argument(part, "cooldown_begin_step");
  const bool ordered = *warmup.number() >= 0 && *warmup.number() < *cooldown.number();
  const bool divides = &part == &*compressor.main;
  if (ordered && !(divides && std::floor(*cooldown.number() - *warmup.number()) == 0)) {
    return true;
  }
  compressor.valid = false;
  report_window(warmup, cooldown, run, context);
  return false;
}

DIAGNOSTIC(SP324, update_before_training, error, (Text, Text),
           "`training_steps` {} of the inner pruner is more than `interval_steps` {}",
           "The inner pruner trains for `training_steps` before it makes a mask, and the outer pruner increases the "
           "ratio every `interval_steps`. NNI stops with an AssertionError if the ratio increases before the mask "
           "exists.",
           "write `training_steps` of at most `interval_steps`")

static void check_inner_training(Compressor& compressor, const Value& interval, const Context& context) {
  const Value& training = argument(*compressor.inner, "training_steps");
  // A negative interval never ends, so no mask is made.
  if (training.number() > interval.number() && interval.number() >= 0.0) {
    compressor.valid = false;
    const std::string steps = source::python_str(interval);
    context.sink.report(diag::update_before_training, training.span, source::python_str(training), steps)
        .with_label(interval.span, "the next increase comes earlier")
        .with_help(fmt::format("write {}, or raise `interval_steps` to {}", written(context, "training_steps", steps),
                               source::python_str(training)))
        .with_fix(diag::Fix::unsafe().replace(training.span, steps));
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

static void check_inner(Compressor& compressor, const Value& interval, const Run& run, const Context& context) {
  diag::Sink& sink = context.sink;
  const ConstructorCall& inner = *compressor.inner;
  const auto schedule = inner.spec->kind.as<Schedule>();
  const std::string_view outer = compressor.main->spec->name;
  if (inner.spec->section != Mode::pruning || schedule == Schedule::repeated) {
    compressor.valid = false;
    sink.report(diag::inner_pruner_refused, inner.name.span, outer, inner.spec->name);
  } else if (schedule == Schedule::movement) {
    sink.report(diag::inner_has_schedule, inner.name.span, outer);
    check_window(compressor, inner, run, context);
  } else if (schedule == Schedule::after) {
    check_inner_training(compressor, interval, context);
  }
}

DIAGNOSTIC(SP335, over_after_few_steps, warning, (Text, Text, Text), "`{}` reaches the last ratio after {}{}",
           "The unit of `interval_steps` and `cooldown_begin_step` is the optimizer step, not the epoch. The model is "
           "pruned before it has trained between two masks.",
           "multiply the numbers by the steps of an epoch")

// Returns the steps of an epoch from the option, or from the file.
static std::optional<double> steps_of_epoch(const Run& run, const Context& context) {
  const auto& given = context.options.steps_per_epoch ? context.options.steps_per_epoch : run.steps_per_epoch;
  return given ? std::optional(static_cast<double>(*given)) : std::nullopt;
}

// Returns the steps of the run, or a lower bound if only its epochs are known or a script computes the steps.
static std::optional<double> least_steps(const Run& run, const Context& context) {
  constexpr double kFewSteps = 100;        // of an epoch
  constexpr double kComputedSteps = 1000;  // such as `epochs * len(loader)`
  if (run.length.computes_steps) return kComputedSteps;
  if (run.length.max_steps) return run.length.max_steps->second.number();
  const auto epochs = run.length.epochs();
  return epochs ? std::optional(*epochs * steps_of_epoch(run, context).value_or(kFewSteps)) : std::nullopt;
}

// Returns " of 16840" if the number of steps is known.
static std::string of_steps(const Run& run, const Context& context, double steps) {
  const bool known = run.length.max_steps || (!run.length.computes_steps && steps_of_epoch(run, context));
  return known ? fmt::format(" of {:.15g}", steps) : std::string();
}

static std::string advice_on_few_steps(const Run& run, double interval, const Context& context) {
  if (const auto epoch = steps_of_epoch(run, context)) {
    const double steps = interval * *epoch;
    return fmt::format("write {} for one update in {}",
                       written(context, "interval_steps", fmt::format("{:.15g}", steps)),
                       interval == 1 ? std::string("each epoch") : fmt::format("{:.15g} epochs", interval));
  }
  const std::string factor = interval == 1 ? "" : fmt::format("{:.15g} * ", interval);
  return context.in_script
             ? fmt::format("write `interval_steps={}len(loader)`, the steps of the epochs that you mean", factor)
             : fmt::format(
                   "multiply `interval_steps` by the steps of an epoch: with 500 steps write `interval_steps: {:.15g}`",
                   interval * 500);
}

// A few steps between two masks are probably epochs, if the run is much longer.
static void check_unit(const Compressor& compressor, const Run& run, const Value& interval, double needed,
                       const Context& context) {
  constexpr double kMostSteps = 10;  // that are meant as epochs
  constexpr double kMuchLonger = 50;
  const auto steps = least_steps(run, context);
  if (!run.single || !steps || !(interval.number() >= 1.0) || !(interval.number() <= kMostSteps) || needed <= 0 ||
      *steps < kMuchLonger * needed)
    return;
  context.sink
      .report(diag::over_after_few_steps, interval.span, compressor.main->spec->name,
              base::counted(static_cast<std::uint64_t>(std::ceil(needed)), "optimizer step"),
              of_steps(run, context, *steps))
      .with_help(advice_on_few_steps(run, *interval.number(), context));
}

// The steps of a window are probably epochs, if it ends after a few steps of a run that is much longer.
static void check_unit_of_window(const Compressor& compressor, const Run& run, const Context& context) {
  constexpr double kMostSteps = 100;  // that are meant as epochs
  constexpr double kMuchLonger = 50;
  const Value& warmup = argument(*compressor.main, "warmup_step");
  const Value& cooldown = argument(*compressor.main, "cooldown_begin_step");
  const auto steps = least_steps(run, context);
  const double last = *cooldown.number();
  if (!run.single || !steps || last < 1 || last > kMostSteps || *steps < kMuchLonger * last) return;
  const double epoch = steps_of_epoch(run, context).value_or(0);
  auto& report = context.sink.report(diag::over_after_few_steps, cooldown.span, compressor.main->spec->name,
                                     base::counted(static_cast<std::uint64_t>(std::ceil(last)), "optimizer step"),
                                     of_steps(run, context, *steps));
  if (epoch > 0) {
    report.with_help(fmt::format("write {} and {} for these epochs",
                                 written(context, "warmup_step", fmt::format("{:.15g}", *warmup.number() * epoch)),
                                 written(context, "cooldown_begin_step", fmt::format("{:.15g}", last * epoch))));
  } else {
    const auto times = [](const Value& value) { return fmt::format("{} * N", source::python_str(value)); };
    report.with_help(fmt::format("if these are epochs of N steps, write {} and {}",
                                 written(context, "warmup_step", times(warmup)),
                                 written(context, "cooldown_begin_step", times(cooldown))));
  }
}

static void check_movement(Compressor& compressor, const Run& run, const Context& context) {
  const Value& cooldown = argument(*compressor.main, "cooldown_begin_step");
  if (check_window(compressor, *compressor.main, run, context)) {
    check_unit_of_window(compressor, run, context);
    check_run_reaches(compressor, run, *cooldown.number(),
                      fmt::format("`cooldown_begin_step` is {}", source::python_str(cooldown)), cooldown, context);
  }
}

static void check_repeated(Compressor& compressor, const Run& run, const Context& context) {
  const ConstructorCall& main = *compressor.main;
  const Value& interval = argument(main, "interval_steps");
  const Value& times = argument(main, "total_times");
  if (compressor.inner && compressor.inner->spec != nullptr) {
    check_inner(compressor, interval, run, context);
  }
  const double needed = *interval.number() * *times.number();
  check_unit(compressor, run, interval, needed, context);
  check_run_reaches(compressor, run, needed, fmt::format("`{}` needs {:.15g} steps", main.spec->name, needed), times,
                    context);
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
static void check_fused(Compressor& compressor, const Run& run, diag::Sink& sink) {
  const ConstructorCall& main = *compressor.main;
  if (run.untrained) {
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

DIAGNOSTIC(SP337, starts_in_first_epoch, warning, (Text, Text),
           "quantization starts after {}, in the first of {} epochs",
           "The unit of `quant_start_step` is the optimizer step, not the epoch. The model is hardly trained then.",
           "multiply the number by the steps of an epoch")

// A small number of steps is probably one of epochs, if the run has more epochs.
static void check_unit_of_start(const Value& start, const Run& run, const Context& context) {
  const double first = *start.number();
  const auto epochs = run.length.epochs();
  const auto epoch = steps_of_epoch(run, context);
  if (!epochs || first >= *epochs || (epoch && first >= *epoch)) return;
  auto& report = context.sink.report(diag::starts_in_first_epoch, start.span,
                                     base::counted(static_cast<std::uint64_t>(first), "optimizer step"),
                                     fmt::format("{:.15g}", *epochs));
  if (epoch) {
    report.with_help(fmt::format("write {} to start after {:.15g} epochs",
                                 written(context, "quant_start_step", fmt::format("{:.15g}", first * *epoch)), first));
  } else if (context.in_script) {
    report.with_help(fmt::format("write `quant_start_step={:.15g} * len(loader)`, the steps of the epochs", first));
  }
}

// A fraction is never equal to a number of steps, so the quantizer stays switched off.
static void check_first_step(Compressor& compressor, const Run& run, const Context& context) {
  const Value* start = find_value(compressor.main->arguments, "quant_start_step");
  const auto first = start == nullptr ? std::nullopt : start->number();
  if (!first || *first <= 0) return;
  if (*first == std::floor(*first)) return check_unit_of_start(*start, run, context);
  compressor.quantizes = false;
  const auto steps = run.length.steps();
  const double meant = *first >= 1 ? std::floor(*first) : std::round(*first * steps.value_or(10000));
  const std::string edit = written(context, "quant_start_step", fmt::format("{:.15g}", meant));
  auto& report = context.sink.report(diag::never_starts, start->span, fmt::format("quantization at step {}", *first));
  if (*first >= 1 || steps) {
    report.with_help(fmt::format("write {}, a whole number of steps", edit))
        .with_fix(diag::Fix::unsafe().replace(start->span, fmt::format("{:.15g}", meant)));
  } else {
    report.with_help(
        fmt::format("the unit is optimizer steps, not fractions of the run: with 10000 steps write {}", edit));
  }
}

static void check_compressor(Compressor& compressor, const Run& run, const Context& context) {
  diag::Sink& sink = context.sink;
  for (const auto* part : {&compressor.main, &compressor.inner}) {
    if (*part && (*part)->spec != nullptr) check_part(compressor, **part, run, context);
  }
  if (!compressor.valid || compressor.main->spec == nullptr || !compressor.main->unknown.empty()) {
    return;
  }
  switch (compressor.main->spec->kind.as<Schedule>()) {
    case Schedule::repeated: check_repeated(compressor, run, context); break;
    case Schedule::movement: check_movement(compressor, run, context); break;
    case Schedule::after: check_no_length(compressor, run, sink); break;
    case Schedule::at_once:
      compressor.fused ? check_fused(compressor, run, sink) : check_no_length(compressor, run, sink);
      break;
    case Schedule::from_step: check_first_step(compressor, run, context); break;
    case Schedule::always: break;
  }
}

static Run run_of(const Compressor& compressor, const Configuration& configuration, bool untrained) {
  const bool own = compressor.own_run.has_value();
  return {configuration.run_of(compressor), configuration.steps_per_epoch, own || configuration.compressors.size() == 1,
          own || &compressor == &configuration.compressors.back(), untrained};
}

void check_arguments(Configuration& configuration, const Context& context) {
  const bool untrained = std::ranges::none_of(configuration.compressors, needs_training);
  for (Compressor& compressor : configuration.other_calls) {
    check_compressor(compressor, run_of(compressor, configuration, untrained), context);
  }
  for (Compressor& compressor : configuration.compressors) {
    if (!compressor.main) continue;
    check_compressor(compressor, run_of(compressor, configuration, untrained), context);
    // The schedule is unknown if an argument is.
    if (!compressor.main->unknown.empty()) {
      compressor.main.reset();
      compressor.inner.reset();
    }
  }
}

}  // namespace sparsecfg::dialect::nni
