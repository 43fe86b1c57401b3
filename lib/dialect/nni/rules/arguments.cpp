#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/policy.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

// Checks of the constructors. They compare bounds later, with other arguments.
class ArgumentPolicy : public SchemaPolicy {
 public:
  ArgumentPolicy(const Context& context, bool wraps) : SchemaPolicy(context), wraps_(wraps) {}

  [[nodiscard]] std::optional<diag::Severity> severity(const Misfit& misfit) const override {
    return misfit.kind == Misfit::Kind::bounds ? std::nullopt : SchemaPolicy::severity(misfit);
  }

  // The pruner that another one wraps has been read already.
  bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const override {
    return (spec.name == "pruner" && wraps_) || SchemaPolicy::report_missing(record, spec, names);
  }

 private:
  bool wraps_;
};

DIAGNOSTIC(SP315, nni_steps_mismatch, error, (Text), "{}",
           "NNI compares the steps of a schedule with the steps of the run, and the steps of an inner pruner with the "
           "steps between two updates. It stops with an AssertionError if they do not match. It also fails if a count "
           "that it divides by is 0.",
           "choose a number of steps that matches")

DIAGNOSTIC(SP317, never_updates, warning, (Text), "the sparsity never increases: {}",
           "NNI compares the number of completed steps with the number at which the next update is due. A number that "
           "is 0, negative or fractional is never reached, and NNI does not report it.",
           "write a whole number greater than 0")

DIAGNOSTIC(SP818, compressor_refuses, error, (Text, Text), "`{}` {}",
           "In addition to the schema, each NNI class checks further conditions. `sparsecfg explain` with the name of "
           "the class lists them.",
           "change the value to one that the class accepts; see `sparsecfg explain {0}`")

class ArgumentCheck {
 public:
  ArgumentCheck(Compressor& compressor, const Configuration& configuration, const Context& context)
      : compressor_(compressor), configuration_(configuration), context_(context), sink_(context.sink) {}

  void run() {
    for (const auto* part : {&compressor_.main, &compressor_.inner}) {
      if (*part && (*part)->spec != nullptr) check_part(**part);
    }
    if (!compressor_.valid || compressor_.main->spec == nullptr) {
      warn_of_given_interval();
      return;
    }
    switch (compressor_.main->spec->meaning.as<Schedule>()) {
      case Schedule::repeated: check_repeated(); break;
      case Schedule::movement: check_movement(); break;
      case Schedule::after: check_after(); break;
      case Schedule::at_once: compressor_.fused ? check_fused() : check_run_is_none(); break;
      case Schedule::from_step:
      case Schedule::always: break;
    }
  }

 private:
  void reject() { compressor_.valid = false; }

  // --- constructors ------------------------------------------------------------------------------------

  void check_part(const Part& part) {
    Record record{part.spec, part.name.span, fields_of(part.arguments), true, {}, {}, 0};
    check_fields(ArgumentPolicy(context_, compressor_.inner.has_value()), record);
    if (!record.valid) reject();
  }

  // --- schedules ---------------------------------------------------------------------------------------

  const Value& argument(const Part& part, std::string_view name) const { return *find_value(part.arguments, name); }

  static std::string text(const Value& value) { return base::printable(source::python_str(value)); }

  void mismatch(source::Span span, const std::string& what, const Value* label = nullptr,
                const std::string& about = "") {
    reject();
    auto& report = sink_.report(diag::nni_steps_mismatch, span, what);
    if (label != nullptr) {
      report.with_label(label->span, about);
    }
  }

  // NNI compares step counts by ==, so only a positive whole number can match.
  void warn_of_idle(const Value& value, std::string_view name) {
    const double steps = value.number().value_or(0);
    if (steps <= 0 || steps != std::floor(steps)) {
      sink_.report(diag::never_updates, value.span, fmt::format("`{}` is {}", name, text(value)))
          .with_help(name == "interval_steps" ? "write a whole number greater than 0, such as `100`" : "");
    }
  }

  // The interval is independent of arguments that are missing.
  void warn_of_given_interval() {
    const Value* interval = find_value(compressor_.main->arguments, "interval_steps");
    if (compressor_.main->spec != nullptr && interval != nullptr && interval->number()) {
      warn_of_idle(*interval, "interval_steps");
    }
  }

  void check_repeated() {
    const Part& main = *compressor_.main;
    const Value& interval = argument(main, "interval_steps");
    const Value& times = argument(main, "total_times");
    if (times.number() == 0.0) {
      mismatch(times.span, "`total_times` must not be 0, because NNI divides by it");
      return;
    }
    warn_of_idle(interval, "interval_steps");
    if (*times.number() < 0) {
      sink_.report(diag::never_updates, times.span, fmt::format("`total_times` is {}", text(times)));
    }
    if (compressor_.inner && compressor_.inner->spec != nullptr) {
      check_inner(interval);
    }
    const double needed = *interval.number() * *times.number();
    check_run_reaches(needed, fmt::format("`{}` needs {:.15g} steps", main.spec->name, needed), times);
  }

  void check_inner(const Value& interval) {
    const Part& inner = *compressor_.inner;
    const auto schedule = inner.spec->meaning.as<Schedule>();
    if (inner.spec->section != Mode::pruning || schedule == Schedule::repeated) {
      reject();
      sink_.report(diag::compressor_refuses, inner.name.span, compressor_.main->spec->name,
                   fmt::format("can't increase the ratio of `{}`", inner.spec->name));
    } else if (schedule == Schedule::movement) {
      sink_
          .report(diag::compressor_refuses, inner.name.span, compressor_.main->spec->name,
                  "wraps a pruner that has its own schedule")
          .with_severity(diag::Severity::warning);
      check_window(inner);
    } else if (schedule == Schedule::after) {
      const Value& training = argument(inner, "training_steps");
      warn_of_idle(training, "training_steps");
      // A negative interval never ends, so no mask is made.
      if (training.number() > interval.number() && interval.number() >= 0.0) {
        mismatch(training.span,
                 fmt::format("`training_steps` {} is more than `interval_steps` {}", text(training), text(interval)),
                 &interval, "the next increase comes earlier");
      }
    }
  }

  // Reports a window on which the constructor or the first step fails. Returns false if it is reported.
  bool check_window(const Part& part) {
    const Value& warmup = argument(part, "warmup_step");
    const Value& cooldown = argument(part, "cooldown_begin_step");
    if (!(*warmup.number() >= 0 && *warmup.number() < *cooldown.number())) {
      mismatch(warmup.span, fmt::format("`warmup_step` {} is not between 0 and `cooldown_begin_step` {}", text(warmup),
                                        text(cooldown)));
      return false;
    }
    if (&part == &*compressor_.main && std::floor(*cooldown.number() - *warmup.number()) == 0) {
      mismatch(warmup.span, fmt::format("`cooldown_begin_step` {1} must be at least one step after `warmup_step` {0}",
                                        text(warmup), text(cooldown)));
      return false;
    }
    return true;
  }

  void check_movement() {
    const Value& cooldown = argument(*compressor_.main, "cooldown_begin_step");
    if (check_window(*compressor_.main))
      check_run_reaches(*cooldown.number(), fmt::format("`cooldown_begin_step` is {}", text(cooldown)), cooldown);
  }

  void check_after() {
    warn_of_idle(argument(*compressor_.main, "training_steps"), "training_steps");
    check_run_is_none();
  }

  // The last compressor runs all compressors together, and only it compares steps.
  bool is_single() const { return configuration_.compressors.size() == 1; }

  bool runs() const { return &compressor_ == &configuration_.compressors.back(); }

  static bool needs_training(const Compressor& compressor) {
    const ClassSpec* spec = compressor.main ? compressor.main->spec : nullptr;
    return spec == nullptr || spec->meaning != Schedule::at_once;
  }

  // In a common run, a pruner waits for its step, but a pruner without a schedule never reaches it. If no compressor
  // needs training, the evaluator is absent and the common run fails.
  void check_fused() {
    const Part& main = *compressor_.main;
    if (std::ranges::none_of(configuration_.compressors, needs_training)) {
      reject();
      sink_
          .report(diag::compressor_refuses, main.name.span, main.spec->name,
                  "can't be combined only with compressors that need no training")
          .with_help(
              "NNI requires an evaluator then: use one script per compressor, or merge the `config_list`s of the same "
              "class");
      return;
    }
    sink_.report(diag::never_starts, main.name.span, fmt::format("the mask update of `{}`", main.spec->name))
        .with_help(
            "run it separately before the others, or wrap it in `LinearPruner` with `interval_steps: 1`, `total_times: "
            "1`");
  }

  void check_run_reaches(double needed, const std::string& who, const Value& label) {
    const auto& max = configuration_.max_steps;
    if (runs() && max && *max->second.number() < needed) {
      mismatch(max->second.span, fmt::format("{}, but `max_steps` is {}", who, text(max->second)), &label,
               "the schedule");
    }
  }

  void check_run_is_none() {
    for (const auto* given : {&configuration_.max_steps, &configuration_.max_epochs}) {
      if (is_single() && *given) {
        mismatch((*given)->first.span, fmt::format("`compress` of `{}` does not accept `{}`",
                                                   compressor_.main->spec->name, name_of(**given)));
      }
    }
  }

  Compressor& compressor_;
  const Configuration& configuration_;
  const Context& context_;
  diag::Sink& sink_;
};

void check_arguments(Configuration& configuration, const Context& context) {
  for (Compressor& compressor : configuration.compressors) {
    if (compressor.main) {
      ArgumentCheck(compressor, configuration, context).run();
    }
  }
}

}  // namespace sparsecfg::dialect::nni
