#include <fmt/core.h>

#include <cmath>

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

 private:
  bool is_built() const {
    const double start = modifier_.start();
    return run_.reaches(start) && (modifier_.end() == -1 || modifier_.end() > start);
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
    if (!require_number("step_size")) {
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
    if (list == nullptr) {
      sink_.report(diag::wrong_type, milestones.span, "milestones", "a list of epochs", source::describe(milestones))
          .with_severity(later(modifier_));
      return;
    }
    for (const Value& milestone : *list) {
      if (check_number(milestone, "milestones")) {
        check_milestone(milestone);
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
    } else if ((end >= 0 || needs_end()) && epoch >= end) {
      report(fmt::format("before the end {}", base::python_repr(end)), "end_epoch",
             end >= 0 ? "the end" : "no end is given");
    }
  }

  // The releases of 2020 take -1 for an end like any other.
  bool needs_end() const { return modifier_.framework == Framework::pytorch_2020; }

  void check_cosine() {
    require_number("lr_min");
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

static void check_cycles(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* cycle = modifier.find("cycle_epochs");
  if (modifier.text("lr_func") != "cyclic_linear") {
    if (cycle != nullptr) {
      sink.report(diag::cycle_epochs_unused, cycle->key, modifier.text("lr_func"))
          .with_fix(diag::Fix::safe().remove(cycle->key));
    }
    return;
  }
  const double epochs = modifier.number("cycle_epochs").value_or(1);
  const bool one_step = run.steps_per_epoch && epochs * static_cast<double>(*run.steps_per_epoch) == 1;
  if (!run.reaches(modifier.start())) {
    return;
  }
  if (epochs == 0 || one_step) {
    sink.report(diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
                one_step ? "longer than one step" : "above 0, because the length of a cycle is divided by");
  } else if (epochs < 0) {
    sink.report(diag::cycle_epochs_not_positive, modifier.place("cycle_epochs"),
                "above 0, because a negative one runs through each cycle backwards")
        .with_severity(diag::Severity::warning);
  }
}

void check_rates(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (modifier.spec->meaning == Meaning::learning_rate) {
    SchedulerRun(modifier, run, sink).check();
  } else {
    check_cycles(modifier, run, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
