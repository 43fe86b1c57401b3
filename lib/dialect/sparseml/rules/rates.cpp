#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "doc/fixes.h"

// Errors at run time in modifiers that change the learning rate (docs/semantics/sparseml.md#c5).
namespace sparsecfg::dialect::sparseml {

using source::Value;

// Steps at which the scheduler is built and ends, and the step after the last one. Only if the number of steps per
// epoch is known.
static std::uint64_t built_at(const Modifier& modifier, const Run& run) {
  const std::uint64_t start = ir::first_step_at(std::max(modifier.start(), 0.0), *run.steps_per_epoch);
  return std::max<std::uint64_t>(start, 1);
}

static std::uint64_t end_step(const Modifier& modifier, const Run& run) {
  return modifier.end() < 0 ? UINT64_MAX : ir::first_step_at(modifier.end(), *run.steps_per_epoch);
}

static std::uint64_t last_step(const Run& run) {
  return run.epochs && *run.epochs > 0 ? ir::steps_of(*run.epochs, *run.steps_per_epoch) : UINT64_MAX;
}

// SparseML skips the step at the end epoch, which it compares with a tolerance.
static bool is_end(const Modifier& modifier, const Run& run, std::uint64_t step) {
  return modifier.end() >= 0 &&
         std::abs(modifier.end() - ir::epoch_of(step, *run.steps_per_epoch)) <= std::numeric_limits<double>::epsilon();
}

bool builds_scheduler(const Modifier& modifier, const Run& run) {
  const double start = modifier.start();
  if (!run.reaches(start)) {
    return false;
  }
  if (!run.steps_per_epoch) {
    return modifier.end() == -1 || modifier.end() > start;
  }
  return built_at(modifier, run) < last_step(run) && built_at(modifier, run) <= end_step(modifier, run) &&
         !is_end(modifier, run, built_at(modifier, run));
}

static bool check_number(const Modifier& modifier, diag::Sink& sink, const Value& value, std::string_view name) {
  if (!value.number()) {
    sink.report(diag::wrong_type, value.span, name, "a number", source::describe(value)).with_severity(later(modifier));
    return false;
  }
  return true;
}

static bool require_number(const Modifier& modifier, diag::Sink& sink, std::string_view name) {
  const Value* value = modifier.find("lr_kwargs")->value.find(name);
  return value == nullptr || check_number(modifier, sink, *value, name);
}

// SparseML rounds the number of steps, which fails for other numbers.
static void report_not_finite(diag::Sink& sink, const Value& value, std::string_view name) {
  sink.report(diag::wrong_type, value.span, name, "a finite number", source::describe(value))
      .with_help("write a number of epochs");
}

// A modifier can start earlier, since its initial rate does not change before the first milestone.
static std::string advice_on_early_milestone(const Modifier& modifier, double epoch) {
  const std::string initial =
      source::python_str(modifier.find("init_lr") == nullptr ? Value{} : modifier.find("init_lr")->value);
  return fmt::format(
      "milestones count from the beginning of the training. Write `{}` for a drop {} epochs after the "
      "start, or a `start_epoch` below {}; until then, the rate is {}",
      base::python_repr(modifier.start() + epoch), base::python_repr(epoch), base::python_repr(epoch), initial);
}

// A longer window reaches the milestone, if the training does.
static std::string advice_on_late_milestone(const Modifier& modifier, const Run& run, double epoch) {
  const double needed = std::floor(epoch) + 1;
  const bool fits = run.epochs && *run.epochs > epoch && *run.epochs > modifier.end();
  return fits ? fmt::format("write `end_epoch: {}`, where the training ends, so that the rate drops at epoch {}",
                            base::python_repr(*run.epochs), base::python_repr(epoch))
              : fmt::format("write a milestone between {} and {}, or `end_epoch: {}` and train as long",
                            base::python_repr(std::max(modifier.start(), 0.0)), base::python_repr(modifier.end()),
                            base::python_repr(needed));
}

static void check_milestone(const Modifier& modifier, const Run& run, diag::Sink& sink, const Value& milestone) {
  const double epoch = *milestone.number();
  const double end = modifier.end();
  if (!std::isfinite(epoch) && !is_tensorflow(modifier.framework)) {
    report_not_finite(sink, milestone, "milestones");
    return;
  }
  const auto report = [&](const std::string& where, std::string_view field, std::string label) -> diag::Diagnostic& {
    return sink.report(diag::milestone_outside_window, milestone.span, source::python_str(milestone), where)
        .with_severity(later(modifier))
        .with_label(modifier.place(field), std::move(label));
  };
  if (epoch <= modifier.start()) {
    report(fmt::format("after the start at {}", base::python_repr(modifier.start())), "start_epoch",
           "the modifier starts here")
        .with_help(advice_on_early_milestone(modifier, epoch));
  } else if (end >= 0 && epoch >= end) {
    report(fmt::format("before the end at {}", base::python_repr(end)), "end_epoch", "the modifier ends here")
        .with_help(advice_on_late_milestone(modifier, run, epoch));
  } else if (run.epochs && *run.epochs > 0 && epoch >= *run.epochs) {
    sink.report(diag::milestone_outside_window, milestone.span, source::python_str(milestone),
                fmt::format("before the end of the training at {}", base::python_repr(*run.epochs)))
        .with_severity(diag::Severity::warning)
        .with_help(fmt::format("write a milestone below {}, or train {} epochs", base::python_repr(*run.epochs),
                               std::floor(epoch) + 1));
  }
}

// Returns true for milestones that probably count from the start: they rise, the first one is not after the start, and
// the training reaches it when it is counted from the start.
static bool count_from_start(const Modifier& modifier, const source::List& list) {
  double last = 0;
  for (const Value& each : list) {
    const auto epoch = each.number();
    if (!epoch || !std::isfinite(*epoch) || *epoch <= last) return false;
    last = *epoch;
  }
  const double first = list.size() > 0 ? *list.front().number() : std::numeric_limits<double>::infinity();
  return first <= modifier.start() && (modifier.end() < 0 || first + modifier.start() < modifier.end()) &&
         (first < modifier.start() || last <= modifier.start());
}

// Milestones, each with its epoch if it counts from the start.
struct Relative {
  std::vector<std::string> meant;     // those before the end
  std::vector<std::string> too_late;  // "`45` would be epoch 65.0"
  diag::Fix fix = diag::Fix::unsafe();
};

static Relative counted_from_start(const Modifier& modifier, const source::List& list) {
  Relative out;
  for (const Value& each : list) {
    const double epoch = *each.number() + modifier.start();
    const std::string text = base::python_repr(epoch);
    if (modifier.end() >= 0 && epoch >= modifier.end()) {
      out.too_late.push_back(fmt::format("`{}` would be epoch {}", source::python_str(each), text));
      continue;
    }
    out.meant.push_back(text);
    out.fix.replace(each.span, text);
  }
  return out;
}

// Reports such milestones as one finding. The fix is known only if all of them are before the start, and none is too
// late when it is counted from the start.
static void report_relative(const Modifier& modifier, const source::List& list, diag::Sink& sink) {
  Relative relative = counted_from_start(modifier, list);
  auto& report = sink.report(diag::milestone_outside_window, list.front().span, source::python_str(list.front()),
                             fmt::format("after the start at {}", base::python_repr(modifier.start())));
  bool all_before = true;
  for (std::size_t at = 1; at < list.size(); ++at) {
    const bool before = *list[at].number() <= modifier.start();
    if (before) report.with_label(list[at].span, "before it as well");
    all_before = all_before && before;
  }
  const std::string late = relative.too_late.empty()
                               ? std::string()
                               : fmt::format("; {}, after the end", fmt::join(relative.too_late, ", "));
  const std::string or_delete =
      all_before ? std::string() : fmt::format(". If only `{}` is wrong, delete it", source::python_str(list.front()));
  report.with_severity(later(modifier))
      .with_label(modifier.place("start_epoch"), "the modifier starts here")
      .with_help(fmt::format("write `milestones: [{}]`: milestones count from the beginning of the training{}{}",
                             fmt::join(relative.meant, ", "), late, or_delete));
  const bool literal = !modifier.find("lr_kwargs")->evaluated && all_before && relative.too_late.empty();
  if (literal) report.with_fix(std::move(relative.fix));
}

// Returns the numbers that are too late for the window; empty if not all numbers are finite, or some are too early.
static std::vector<const Value*> late_milestones(const Modifier& modifier, const source::List& list) {
  std::vector<const Value*> late;
  for (const Value& each : list) {
    const auto epoch = each.number();
    if (!epoch || !std::isfinite(*epoch) || *epoch <= modifier.start()) return {};
    if (modifier.end() >= 0 && *epoch >= modifier.end()) late.push_back(&each);
  }
  return late;
}

// Milestones far beyond the window are probably steps.
static std::string advice_on_late(const Modifier& modifier, const Run& run, const source::List& list) {
  const double last = *list.back().number();
  if (last < 20 * modifier.end()) return advice_on_late_milestone(modifier, run, last);
  std::vector<std::string> epochs;
  for (const Value& each : list) {
    epochs.push_back(run.steps_per_epoch
                         ? base::python_repr(std::round(*each.number() / static_cast<double>(*run.steps_per_epoch)))
                         : std::string());
  }
  return run.steps_per_epoch
             ? fmt::format("milestones are epochs, not steps: write `milestones: [{}]`", fmt::join(epochs, ", "))
             : fmt::format(
                   "milestones are epochs: divide them by the steps of an epoch. With 1000 steps, {} is epoch {}",
                   source::python_str(list.front()), *list.front().number() / 1000);
}

// Reports several late milestones as one finding.
static bool report_late(const Modifier& modifier, const Run& run, const source::List& list, diag::Sink& sink) {
  const std::vector<const Value*> late = late_milestones(modifier, list);
  if (late.size() < 2) return false;
  auto& report = sink.report(diag::milestone_outside_window, late.front()->span, source::python_str(*late.front()),
                             fmt::format("before the end at {}", base::python_repr(modifier.end())));
  for (std::size_t at = 1; at < late.size(); ++at) report.with_label(late[at]->span, "after the end as well");
  report.with_severity(later(modifier))
      .with_label(modifier.place("end_epoch"), "the modifier ends here")
      .with_help(advice_on_late(modifier, run, list));
  return true;
}

static void check_milestones(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Value& milestones = *modifier.find("lr_kwargs")->value.find("milestones");
  const auto* list = milestones.get<source::List>();
  if (list != nullptr && list->size() > 1 && count_from_start(modifier, *list))
    return report_relative(modifier, *list, sink);
  if (list != nullptr && !is_tensorflow(modifier.framework) && report_late(modifier, run, *list, sink)) return;
  if (const auto* map = milestones.get<source::Map>()) {
    for (const auto& [milestone, value] : *map) {  // Python iterates over the keys
      if (check_number(modifier, sink, milestone, "milestones")) check_milestone(modifier, run, sink, milestone);
    }
  } else if (list == nullptr) {
    sink.report(diag::wrong_type, milestones.span, "milestones", "a list of epochs", source::describe(milestones))
        .with_severity(later(modifier));
  } else {
    for (const Value& milestone : *list) {
      if (check_number(modifier, sink, milestone, "milestones")) check_milestone(modifier, run, sink, milestone);
    }
  }
}

// In TensorFlow neither scheduler is stepped: the rate is computed from the step number.
static void check_tensorflow(const Modifier& modifier, const Run& run, diag::Sink& sink, const std::string& name) {
  if (name == "MultiStepLR") {
    check_milestones(modifier, run, sink);
  }
  if (name != "CosineAnnealingWarmRestarts") {
    require_number(modifier, sink, "gamma");
  }
}

// PyTorch resumes after `last_epoch` with a rate that only an earlier scheduler stores in the optimizer.
static void check_last_epoch(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Value* value = modifier.find("lr_kwargs")->value.find("last_epoch");
  if (value != nullptr && run.first_scheduler == &modifier && value->number() != -1.0) {
    sink.report(diag::wrong_type, value->span, "last_epoch", "-1", source::describe(*value))
        .with_help("delete `last_epoch`: PyTorch cannot resume a scheduler that never ran");
  }
}

// Returns true if the PyTorch scheduler is stepped after the step in which it is built.
static bool is_stepped(const Modifier& modifier, const Run& run) {
  if (!run.steps_per_epoch) {
    return true;
  }
  const bool at_once = modifier.start() <= 0;  // built one step late, then catches up
  const std::uint64_t first = built_at(modifier, run) + (at_once ? 0 : 1);
  const std::uint64_t until = std::min(end_step(modifier, run), last_step(run) - 1);
  const auto rounded_end = [&] {
    return static_cast<std::uint64_t>(std::nearbyint(modifier.end() * static_cast<double>(*run.steps_per_epoch)));
  };
  return first < until || (first == until && !is_end(modifier, run, first) &&
                           (first != end_step(modifier, run) || rounded_end() >= first));
}

DIAGNOSTIC(SP515, step_size_rounds_to_zero, error, (Text), "`step_size` {} rounds to 0 steps",
           "SparseML converts the size to steps and rounds it. A size of 0 steps stops the training with a "
           "ZeroDivisionError.",
           "write a `step_size`, in epochs, of at least one step")

static void check_step(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (!require_number(modifier, sink, "step_size") || !is_stepped(modifier, run)) {
    return;
  }
  const Value& size = *modifier.find("lr_kwargs")->value.find("step_size");
  const double steps = *size.number() * static_cast<double>(run.steps_per_epoch.value_or(1));
  if (!std::isfinite(steps)) {
    report_not_finite(sink, size, "step_size");
    return;
  }
  const bool zero = run.steps_per_epoch ? std::nearbyint(steps) == 0 : steps == 0;
  if (zero) {
    sink.report(diag::step_size_rounds_to_zero, size.span, source::python_str(size))
        .with_help(run.steps_per_epoch ? fmt::format("write at least {:.4g}, the length of one step in epochs",
                                                     1.0 / static_cast<double>(*run.steps_per_epoch))
                                       : "");
  }
}

// The PyTorch scheduler suppresses the TypeError of a rate that is not a number.
static void check_least_rate(const Modifier& modifier, diag::Sink& sink) {
  const Value* value = modifier.find("lr_kwargs")->value.find("lr_min");
  if (value == nullptr || value->number()) {
    return;
  }
  const auto* text = value->get<std::string>();
  const std::string meant = base::python_repr(text == nullptr ? 0 : base::python_float(*text).value_or(0));
  sink.report(diag::never_starts, value->span, "a change of the learning rate")
      .with_help(fmt::format("write a number such as `{}`: with {} the PyTorch scheduler silently does nothing",
                             doc::spelled_as_float(meant).value_or(meant),
                             text == nullptr ? source::describe(*value) : "a string"));
}

DIAGNOSTIC(SP510, cycle_epochs_not_positive, error, (Text), "`cycle_epochs` must be {}",
           "A cyclic learning rate divides by the length of its cycle in steps. The check of this field in SparseML "
           "never triggers, so the training stops with an error instead. A negative length is accepted and produces "
           "cycles that run backwards.",
           "write the epochs of one cycle, greater than 0")

static void check_cosine(const Modifier& modifier, diag::Sink& sink) {
  check_least_rate(modifier, sink);
  const Value& cycle = *modifier.find("lr_kwargs")->value.find("cycle_epochs");
  const bool whole = cycle.get<std::int64_t>() != nullptr || cycle.get<bool>() != nullptr;
  if (!whole || *cycle.number() <= 0) {
    sink.report(diag::cycle_epochs_not_positive, cycle.span,
                fmt::format("an int greater than 0, but this is {}", source::describe(cycle)));
  }
  const Value* growth = modifier.find("lr_kwargs")->value.find("T_mult");
  if (growth != nullptr && (growth->get<std::int64_t>() == nullptr || *growth->number() < 1)) {
    sink.report(diag::wrong_type, growth->span, "T_mult", "an int of at least 1", source::describe(*growth));
  }
}

// Checks a PyTorch scheduler. SparseML builds it at the first step of the modifier with an epoch above 0, unless the
// modifier ends there.
static void check_scheduler(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const std::string name = modifier.text("lr_class");
  if (!builds_scheduler(modifier, run)) {
    return;
  }
  if (is_tensorflow(modifier.framework)) {
    check_tensorflow(modifier, run, sink, name);
    return;
  }
  check_last_epoch(modifier, run, sink);
  if (name == "CosineAnnealingWarmRestarts") {
    check_cosine(modifier, sink);
    return;
  }
  require_number(modifier, sink, "gamma");
  if (name == "StepLR") {
    check_step(modifier, run, sink);
  } else if (name == "MultiStepLR") {
    check_milestones(modifier, run, sink);
  }
}

// Returns the first step of the run at which the formula of a cycle divides by zero. The last cycle is the rest of the
// window after the whole cycles. It may be one step long or empty.
static std::optional<std::uint64_t> divides_by_zero_at(const Modifier& modifier, double cycle_epochs, const Run& run) {
  constexpr std::uint64_t kMaxSteps = 2'000'000;
  if (!run.steps_per_epoch || cycle_epochs == 0 || !std::isfinite(cycle_epochs)) {
    return std::nullopt;
  }
  const std::uint64_t steps_per_epoch = *run.steps_per_epoch;
  const auto steps = static_cast<double>(steps_per_epoch);
  const double cycle = cycle_epochs * steps;
  const double total = modifier.end() * steps - modifier.start() * steps;
  const double rest = base::python_modulo(total, cycle);
  const double whole = std::trunc(total / cycle) * cycle;
  if (cycle != 1 && rest != 0 && rest != 1) {
    return std::nullopt;
  }
  const std::uint64_t first = ir::first_step_at(std::max(modifier.start(), 0.0), steps_per_epoch);
  // An end between -1 and 0 counts in the formula, but is never reached.
  std::uint64_t last = modifier.end() < 0 ? UINT64_MAX : ir::first_step_at(modifier.end(), steps_per_epoch);
  if (run.epochs && *run.epochs > 0) {
    last = std::min(last, ir::steps_of(*run.epochs, steps_per_epoch) - 1);
  }
  for (std::uint64_t step = first; step <= last && step - first < kMaxSteps; ++step) {
    const double passed = (ir::epoch_of(step, steps_per_epoch) - modifier.start()) * steps;
    const double length = passed > whole ? rest : cycle;
    if (length == 0 || length == 1) return step;
  }
  return std::nullopt;
}

DIAGNOSTIC(SP204, zero_length_window, error, (double), "the ramp has zero length: it starts and ends at epoch {}",
           "SparseML divides by the length of the window in its first step and stops with a ZeroDivisionError.",
           "set `end_epoch` to a later epoch, or `start_epoch` to an earlier one")

// A window that starts before the training begins at epoch 0, so it is empty if it also ends there.
static void check_function_window(const Modifier& modifier, diag::Sink& sink) {
  if (modifier.start() <= 0 && modifier.end() == 0 && modifier.text("lr_func") != "cyclic_linear") {
    sink.report(diag::zero_length_window, modifier.place("end_epoch"), 0.0)
        .with_label(modifier.place("start_epoch"), "the modifier starts here")
        .with_help("write an `end_epoch` after epoch 0");
  }
}

DIAGNOSTIC(SP511, cycle_epochs_unused, warning, (Text), "`cycle_epochs` has no effect with `lr_func: {}`",
           "Only `cyclic_linear` has cycles.", "delete `cycle_epochs`")

// Returns how to write the cycles that the other functions lack; empty if the window is not longer than a cycle.
static std::string advice_on_cycles(const Modifier& modifier) {
  constexpr double kMaxListed = 6;
  const double length = modifier.end() - modifier.start();
  const double cycle = modifier.number("cycle_epochs").value_or(0);
  if (!(cycle > 0) || !(cycle < length)) return "";
  if (modifier.text("lr_func") == "linear") return "write `lr_func: cyclic_linear`, which has cycles";
  std::vector<std::string> windows;
  for (double at = modifier.start(); length / cycle <= kMaxListed && at < modifier.end(); at += cycle) {
    windows.push_back(fmt::format("{} to {}", at, std::min(at + cycle, modifier.end())));
  }
  return fmt::format(
      "for restarts, write one modifier with `lr_func: cosine` for each cycle{}{}; only `lr_func: cyclic_linear` has "
      "cycles of its own",
      windows.empty() ? "" : ", for the epochs ", base::join_and(windows));
}

static void check_cycles(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  check_function_window(modifier, sink);
  const Field* cycle = modifier.find("cycle_epochs");
  if (modifier.text("lr_func") != "cyclic_linear") {
    // SparseML writes all fields when it saves a recipe, so the default value is not reported.
    if (cycle != nullptr && modifier.number("cycle_epochs") != 1.0) {
      auto& report = sink.report(diag::cycle_epochs_unused, cycle->key, modifier.text("lr_func"));
      const std::string advice = advice_on_cycles(modifier);
      if (advice.empty()) {
        report.with_fix(diag::Fix::safe().remove(cycle->key));
      } else {
        report.with_help(advice);
        const Field* function = modifier.find("lr_func");
        if (modifier.text("lr_func") == "linear" && !function->evaluated) {
          report.with_fix(diag::Fix::unsafe().content(function->value.span, "cyclic_linear"));
        }
      }
    }
    return;
  }
  const double epochs = modifier.number("cycle_epochs").value_or(1);
  if (!run.reaches(modifier.start())) {
    return;
  }
  const auto last = divides_by_zero_at(modifier, epochs, run);
  if (epochs == 0 || std::isnan(epochs)) {
    sink.report(diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
                "greater than 0, because SparseML divides by it")
        .with_help("write the number of epochs of one cycle");
  } else if (last) {
    sink.report(
            diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
            fmt::format("chosen so that even the last cycle is longer than one step, but SparseML divides by zero at "
                        "step {}",
                        *last))
        .with_label(modifier.place("end_epoch"), "the last cycle ends here")
        .with_help("move `end_epoch` to a whole number of cycles after the start");
  } else if (epochs < 0) {
    sink.report(diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
                "greater than 0, because a negative value reverses each cycle")
        .with_severity(diag::Severity::warning);
  }
}

void check_rates(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (modifier.spec->kind == ClassKind::learning_rate) {
    check_scheduler(modifier, run, sink);
  } else {
    check_cycles(modifier, run, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
