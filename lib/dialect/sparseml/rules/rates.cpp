#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/number.h"
#include "dialect/sparseml/rules/rules.h"

// What stops SparseML when a learning rate moves (reference/sparseml.md C.5).
namespace sparsecfg::dialect::sparseml {

using source::Value;

// One of torch's schedulers, which SparseML builds at the first step of the modifier whose epoch
// is above 0 and is not its end.
class SchedulerRun {
 public:
  SchedulerRun(const Modifier& modifier, const Run& run, diag::Sink& sink)
      : modifier_(modifier), run_(run), sink_(sink), kwargs_(modifier.find("lr_kwargs")->value) {}

  void check() {
    const std::string name = modifier_.text("lr_class");
    if (!is_built()) {
      return;
    }
    if (is_tensorflow(modifier_.framework)) {
      check_tensorflow(name);
      return;
    }
    check_last_epoch();
    if (name == "CosineAnnealingWarmRestarts") {
      check_cosine();
      return;
    }
    require_number("gamma");
    if (name == "StepLR") {
      check_step();
    } else if (name == "MultiStepLR") {
      check_milestones();
    }
  }

  [[nodiscard]] bool is_built() const {
    const double start = modifier_.start();
    if (!run_.reaches(start) || (modifier_.end() != -1 && modifier_.end() <= start)) {
      return false;
    }
    return !run_.steps_per_epoch || (built_at() < last_step() && built_at() <= end_step() && !is_end(built_at()));
  }

 private:
  // The steps at which it is built and at which it ends, and the one after the last, where the steps of an epoch are
  // known.
  std::uint64_t built_at() const {
    const std::uint64_t start = ir::first_step_at(std::max(modifier_.start(), 0.0), *run_.steps_per_epoch);
    return std::max<std::uint64_t>(start, 1);
  }

  std::uint64_t end_step() const {
    return modifier_.end() < 0 ? UINT64_MAX : ir::first_step_at(modifier_.end(), *run_.steps_per_epoch);
  }

  std::uint64_t last_step() const {
    return run_.epochs && *run_.epochs > 0 ? ir::steps_of(*run_.epochs, *run_.steps_per_epoch) : UINT64_MAX;
  }

  // Nothing is done at the exact end, which is compared with a tolerance.
  bool is_end(std::uint64_t step) const {
    return modifier_.end() >= 0 && std::abs(modifier_.end() - ir::epoch_of(step, *run_.steps_per_epoch)) <=
                                       std::numeric_limits<double>::epsilon();
  }

  // Returns true if torch's scheduler takes a step after the one at which it is built.
  bool is_stepped() const {
    if (!run_.steps_per_epoch) {
      return true;
    }
    const bool at_once = modifier_.start() <= 0;  // built a step late, it makes up for that
    const std::uint64_t first = built_at() + (at_once ? 0 : 1);
    const std::uint64_t until = std::min(end_step(), last_step() - 1);
    const auto rounded_end = [&] {
      return static_cast<std::uint64_t>(std::nearbyint(modifier_.end() * static_cast<double>(*run_.steps_per_epoch)));
    };
    return first < until || (first == until && !is_end(first) && (first != end_step() || rounded_end() >= first));
  }

  // Neither is stepped there: the rate is computed from the number of the step.
  void check_tensorflow(const std::string& name) {
    if (name == "MultiStepLR") {
      check_milestones();
    }
    if (name != "CosineAnnealingWarmRestarts") {
      require_number("gamma");
    }
  }

  // torch goes on after that epoch with a rate that only an earlier scheduler leaves in the optimizer.
  void check_last_epoch() {
    const Value* value = kwargs_.find("last_epoch");
    if (value != nullptr && run_.one_scheduler && value->number() != -1.0) {
      sink_.report(diag::wrong_type, value->span, "last_epoch", "-1", source::describe(*value))
          .with_help("delete it: torch can't go on with a scheduler that never ran");
    }
  }

  bool require_number(std::string_view name) {
    const Value* value = kwargs_.find(name);
    return value == nullptr || check_number(*value, name);
  }

  bool check_number(const Value& value, std::string_view name) {
    if (!value.number()) {
      sink_.report(diag::wrong_type, value.span, name, "a number", source::describe(value))
          .with_severity(later(modifier_));
      return false;
    }
    return true;
  }

  void check_step() {
    if (!require_number("step_size") || !is_stepped()) {
      return;
    }
    const Value& size = *kwargs_.find("step_size");
    const double steps = *size.number() * static_cast<double>(run_.steps_per_epoch.value_or(1));
    const bool zero = run_.steps_per_epoch ? std::nearbyint(steps) == 0 : steps == 0;
    if (zero) {
      sink_.report(diag::step_size_rounds_to_zero, size.span, source::python_str(size))
          .with_help(run_.steps_per_epoch
                         ? fmt::format("one step is {:.4g} epochs", 1.0 / static_cast<double>(*run_.steps_per_epoch))
                         : "");
    }
  }

  void check_milestones() {
    const Value& milestones = *kwargs_.find("milestones");
    const auto* list = milestones.get<source::List>();
    if (const auto* map = milestones.get<source::Map>()) {
      for (const auto& [milestone, value] : *map) {  // Python goes through the keys
        if (check_number(milestone, "milestones")) check_milestone(milestone);
      }
    } else if (list == nullptr) {
      sink_.report(diag::wrong_type, milestones.span, "milestones", "a list of epochs", source::describe(milestones))
          .with_severity(later(modifier_));
    } else {
      for (const Value& milestone : *list) {
        if (check_number(milestone, "milestones")) check_milestone(milestone);
      }
    }
  }

  void check_milestone(const Value& milestone) {
    const double epoch = *milestone.number();
    const double end = modifier_.end();
    const auto report = [&](const std::string& where, std::string_view field, std::string label) {
      sink_.report(diag::milestone_outside_window, milestone.span, source::python_str(milestone), where)
          .with_severity(later(modifier_))
          .with_label(modifier_.place(field), std::move(label));
    };
    if (epoch <= modifier_.start()) {
      report(fmt::format("after the start {}", base::python_repr(modifier_.start())), "start_epoch", "the start");
    } else if (end >= 0 && epoch >= end) {
      report(fmt::format("before the end {}", base::python_repr(end)), "end_epoch", "the end");
    } else if (run_.epochs && *run_.epochs > 0 && epoch >= *run_.epochs) {
      sink_
          .report(diag::milestone_outside_window, milestone.span, source::python_str(milestone),
                  fmt::format("before the end of the training {}", base::python_repr(*run_.epochs)))
          .with_severity(diag::Severity::warning)
          .with_help("move the milestone, or train longer");
    }
  }

  // torch passes over the TypeError of a string, and the rate stays what it is.
  void check_least_rate() {
    const Value* value = kwargs_.find("lr_min");
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    if (text != nullptr && base::python_float(*text)) {
      sink_.report(diag::never_starts, value->span, "a change of the learning rate")
          .with_help(fmt::format("write a number, such as `{}`: with a string torch's scheduler does nothing, silently",
                                 base::python_repr(*base::python_float(*text))));
    } else {
      require_number("lr_min");
    }
  }

  void check_cosine() {
    check_least_rate();
    const Value& cycle = *kwargs_.find("cycle_epochs");
    const bool whole = cycle.get<std::int64_t>() != nullptr || cycle.get<bool>() != nullptr;
    if (!whole || *cycle.number() <= 0) {
      sink_.report(diag::cycle_epochs_not_positive, cycle.span,
                   fmt::format("an int above 0 here, but this is {}", source::describe(cycle)));
    }
    const Value* growth = kwargs_.find("T_mult");
    if (growth != nullptr && (growth->get<std::int64_t>() == nullptr || *growth->number() < 1)) {
      sink_.report(diag::wrong_type, growth->span, "T_mult", "an int of at least 1", source::describe(*growth));
    }
  }

  const Modifier& modifier_;
  const Run& run_;
  diag::Sink& sink_;
  const Value& kwargs_;
};

// Python's %, whose result has the sign of the divisor.
static double python_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// The first step of the run at which the formula of a cycle divides by zero. The last cycle is what whole ones leave of
// the window, and may be as short as one step or nothing.
static std::optional<std::uint64_t> divides_by_zero_at(const Modifier& modifier, double cycle_epochs, const Run& run) {
  constexpr std::uint64_t kMaxSteps = 2'000'000;
  if (!run.steps_per_epoch || modifier.end() < 0 || cycle_epochs == 0) {
    return std::nullopt;
  }
  const std::uint64_t steps_per_epoch = *run.steps_per_epoch;
  const auto steps = static_cast<double>(steps_per_epoch);
  const double cycle = cycle_epochs * steps;
  const double total = modifier.end() * steps - modifier.start() * steps;
  const double rest = python_modulo(total, cycle);
  const double whole = std::trunc(total / cycle) * cycle;
  if (cycle != 1 && rest != 0 && rest != 1) {
    return std::nullopt;
  }
  const std::uint64_t first = ir::first_step_at(std::max(modifier.start(), 0.0), steps_per_epoch);
  std::uint64_t last = ir::first_step_at(modifier.end(), steps_per_epoch);
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

// What starts before the training counts from epoch 0, so one that ends there has no length.
static void check_function_window(const Modifier& modifier, diag::Sink& sink) {
  if (modifier.start() <= 0 && modifier.end() == 0 && modifier.text("lr_func") != "cyclic_linear") {
    sink.report(diag::zero_length_window, modifier.place("end_epoch"), 0.0)
        .with_label(modifier.place("start_epoch"), "it starts here")
        .with_help("give an end after epoch 0");
  }
}

static void check_cycles(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  check_function_window(modifier, sink);
  const Field* cycle = modifier.find("cycle_epochs");
  if (modifier.text("lr_func") != "cyclic_linear") {
    // SparseML writes every field of a recipe that it saves, this one with its default.
    if (cycle != nullptr && modifier.number("cycle_epochs") != 1.0) {
      sink.report(diag::cycle_epochs_unused, cycle->key, modifier.text("lr_func"))
          .with_fix(diag::Fix::safe().remove(cycle->key));
    }
    return;
  }
  const double epochs = modifier.number("cycle_epochs").value_or(1);
  if (!run.reaches(modifier.start())) {
    return;
  }
  const auto last = divides_by_zero_at(modifier, epochs, run);
  if (epochs == 0) {
    sink.report(diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
                "above 0, because the length of a cycle is divided by")
        .with_help("give the epochs of one cycle");
  } else if (last) {
    sink.report(
            diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
            fmt::format("such that every cycle, the shorter last one too, is longer than one step; at step {} SparseML "
                        "divides by zero",
                        *last))
        .with_label(modifier.place("end_epoch"), "the last cycle ends here")
        .with_help("choose an end that is a whole number of cycles after the start");
  } else if (epochs < 0) {
    sink.report(diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
                "above 0, because a negative one runs through each cycle backwards")
        .with_severity(diag::Severity::warning);
  }
}

bool builds_scheduler(const Modifier& modifier, const Run& run) {
  diag::Sink unused;
  return SchedulerRun(modifier, run, unused).is_built();
}

void check_rates(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (modifier.spec->meaning == Meaning::learning_rate) {
    SchedulerRun(modifier, run, sink).check();
  } else {
    check_cycles(modifier, run, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
