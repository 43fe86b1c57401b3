#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number.h"
#include "dialect/sparseml/rules.h"
#include "ir/clock.h"

// What stops SparseML when a modifier runs (reference/sparseml.md C), as far as the recipe, the
// length of the run and the steps of an epoch tell.
namespace sparsecfg::dialect::sparseml {

using source::Value;

static bool unknown_run_is_long(const Run& run) { return !run.epochs || *run.epochs <= 0; }

// Neither -0.5 nor nan is ever reached; that is reported where the file is loaded.
static bool never_starts(const Modifier& modifier) {
  const double start = modifier.start();
  return std::isnan(start) || (start > -1 && start < 0 && !is_tensorflow(modifier.framework));
}

static void check_start_is_reached(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const bool late = !unknown_run_is_long(run) && !run.reaches(modifier.start());
  if (late && modifier.spec->meaning != Meaning::epoch_range) {
    sink.report(diag::starts_after_training, modifier.place("start_epoch"), modifier.start(), *run.epochs)
        .with_severity(later(modifier))
        .with_help("start it earlier, or train longer");
  }
}

// --- ramps ------------------------------------------------------------------------------------

// One gradual pruner over its window.
class RampRun {
 public:
  RampRun(const Modifier& modifier, const Run& run, diag::Sink& sink)
      : modifier_(modifier), run_(run), sink_(sink), start_(modifier.start()), end_(modifier.end()) {}

  void check() {
    if (start_ == end_) {
      sink_.report(diag::zero_length_window, modifier_.place("end_epoch"), start_)
          .with_label(modifier_.place("start_epoch"), "it starts here")
          .with_help("give an end after the start");
      return;
    }
    if (end_ == -1 && !is_flat()) {
      sink_.report(diag::open_ended_ramp, modifier_.place("end_epoch")).with_help("give the epoch at which the final sparsity is due");
    } else if (start_ == -1) {
      sink_.report(diag::start_minus_one_shifts_ramp, modifier_.place("start_epoch"))
          .with_help("write 0.0")
          .with_fix(start_at_once());
    }
    check_overshoot();
    check_n_of_m();
    check_global();
  }

 private:
  const Value* final_value() const { return &modifier_.find("final_sparsity")->value; }

  // The sparsities that the ramp, or each of its ramps, leads to.
  std::vector<double> finals() const {
    std::vector<double> out;
    if (const auto* map = final_value()->get<source::Map>()) {
      for (const auto& [sparsity, selectors] : *map) out.push_back(sparsity.number().value_or(0));
    } else if (const auto sparsity = final_value()->number()) {
      out.push_back(*sparsity);
    }
    return out;
  }

  std::optional<double> initial() const { return modifier_.find("init_sparsity")->value.number(); }

  diag::Fix start_at_once() const {
    const Field* start = modifier_.find("start_epoch");
    return start == nullptr || start->evaluated ? diag::Fix() : diag::Fix::unsafe().replace(start->value.span, "0.0");
  }

  bool is_flat() const {
    return std::ranges::all_of(finals(), [&](double sparsity) { return initial() == sparsity; });
  }

  bool reaches_end() const { return end_ != -1 && (!run_.epochs || end_ < *run_.epochs || *run_.epochs <= 0) && end_step_runs(); }

  bool end_step_runs() const {
    return !run_.epochs || *run_.epochs <= 0 || !run_.steps_per_epoch ||
           ir::first_step_at(end_, *run_.steps_per_epoch) < ir::steps_of(*run_.epochs, *run_.steps_per_epoch);
  }

  // The epoch of the first update after the start, where one comes before the end.
  std::optional<double> second_update() const {
    if (end_ == -1) {
      return std::nullopt;
    }
    const double frequency = modifier_.number("update_frequency").value_or(-1);
    const auto steps = run_.steps_per_epoch;
    const double first = steps ? ir::epoch_of(ir::first_step_at(std::max(start_, 0.0), *steps), *steps) : std::max(start_, 0.0);
    const double step = steps ? 1.0 / static_cast<double>(*steps) : 0.0;
    double next = first + std::max({frequency, step, 0.0});
    if (steps) {
      next = ir::epoch_of(ir::first_step_at(next, *steps), *steps);
    }
    const bool runs = next < end_ && run_.reaches(next);
    return runs ? std::optional(next) : std::nullopt;
  }

  void check_overshoot() {
    if (modifier_.text("inter_func") != "inverse_cubic" || !run_.steps_per_epoch || !reaches_end()) {
      return;
    }
    const std::size_t steps = *run_.steps_per_epoch;
    if (ir::epoch_of(ir::first_step_at(end_, steps), steps) > end_) {
      sink_.report(diag::overshoot_crashes_inverse_cubic, modifier_.place("end_epoch"), base::python_repr(end_), steps)
          .with_help("use `cubic`, or move the end onto a step");
    }
  }

  void check_n_of_m() {
    const Field* mask = modifier_.find("mask_type");
    const auto structure = mask == nullptr ? std::nullopt : read_structure(modifier_, mask->value);
    if (!structure || structure->kind != ir::Structure::Kind::n_of_m) {
      return;
    }
    const double needed = 1 - static_cast<double>(structure->n) / static_cast<double>(structure->m);
    const auto fits = [&](double sparsity) { return sparsity == 0 || std::abs(sparsity - needed) <= 0.01; };
    for (const double final_sparsity : finals()) {
      if (!report_misfit(*mask, needed, final_sparsity, fits)) {
        return;
      }
    }
  }

  // False once something is reported.
  bool report_misfit(const Field& mask, double needed, double final_sparsity, const auto& fits) {
    const double from = initial().value_or(0);
    const std::string shown = fmt::format("{:.4g}", needed);
    const auto report = [&](std::string_view field, std::string_view what, double sparsity, std::string help) {
      sink_.report(diag::nm_sparsity_mismatch, modifier_.place(field), source::python_str(mask.value), shown, what, fmt::format("{:.4g}", sparsity))
          .with_label(mask.value.span, "the mask")
          .with_help(std::move(help));
      return false;
    };
    if (initial() && !fits(from) && start_ >= 0) {
      return report("init_sparsity", "at the start", from, fmt::format("start at 0.0 or {}", shown));
    }
    if (const auto epoch = second_update(); epoch && !(fits(final_sparsity) && fits(from) && from != 0)) {
      const auto shape = modifier_.text("inter_func");
      const auto curve = shape == "linear" ? ir::Shape::linear : shape == "cubic" ? ir::Shape::cubic : ir::Shape::inverse_cubic;
      const auto sparsity = ir::interpolate(curve, (*epoch - start_) / (end_ - start_), from, final_sparsity);
      if (sparsity && !fits(*sparsity)) {
        return report("update_frequency", "on the way", *sparsity, fmt::format("an update every {:.4g} epochs leaves none between start and end", end_ - start_));
      }
    }
    return reaches_end() && !fits(final_sparsity) ? report("final_sparsity", "at the end", final_sparsity, fmt::format("end at {}", shown)) : true;
  }

  void check_global() {
    const Field* flag = modifier_.find("global_sparsity");
    const bool by_default = modifier_.spec->name == "GlobalMagnitudePruningModifier" || modifier_.spec->name == "OBSPruningModifier";
    const bool global = flag == nullptr ? by_default : flag->value.number().value_or(0) != 0;
    const std::vector<double> sparsities = finals();
    const bool differ = std::ranges::any_of(sparsities, [&](double sparsity) { return sparsity != sparsities.front(); });
    if (global && differ && (second_update() || reaches_end())) {
      sink_.report(diag::global_with_final_sparsity_map, modifier_.find("final_sparsity")->key, modifier_.spec->name)
          .with_help("`MagnitudePruningModifier` ranks each parameter by itself");
    }
  }

  const Modifier& modifier_;
  const Run& run_;
  diag::Sink& sink_;
  double start_;
  double end_;
};

// --- learning rate ----------------------------------------------------------------------------

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
      sink_.report(diag::wrong_type, value.span, name, "a number", source::describe(value)).with_severity(later(modifier_));
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
          .with_help(run_.steps_per_epoch ? fmt::format("one step is {:.4g} epochs", 1.0 / static_cast<double>(*run_.steps_per_epoch)) : "");
    }
  }

  void check_milestones() {
    const Value& milestones = *kwargs_.find("milestones");
    const auto* list = milestones.get<source::List>();
    if (list == nullptr) {
      sink_.report(diag::wrong_type, milestones.span, "milestones", "a list of epochs", source::describe(milestones)).with_severity(later(modifier_));
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
      report(fmt::format("before the end {}", base::python_repr(end)), "end_epoch", end >= 0 ? "the end" : "no end is given");
    }
  }

  // The releases of 2020 take -1 for an end like any other.
  bool needs_end() const { return modifier_.framework == Framework::pytorch_2020; }

  void check_cosine() {
    require_number("lr_min");
    const Value& cycle = *kwargs_.find("cycle_epochs");
    const bool whole = cycle.get<std::int64_t>() != nullptr || cycle.get<bool>() != nullptr;
    if (!whole || *cycle.number() <= 0) {
      sink_.report(diag::cycle_epochs_not_positive, cycle.span, fmt::format("an int above 0 here, but this is {}", source::describe(cycle)));
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

void check_run(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  if (never_starts(modifier)) {
    return;
  }
  check_start_is_reached(modifier, run, sink);
  if (!run.reaches(modifier.start()) && !unknown_run_is_long(run)) {
    return;
  }
  switch (modifier.spec->meaning) {
    case Meaning::gradual_pruning:
      if (!is_tensorflow(modifier.framework)) {
        RampRun(modifier, run, sink).check();
      }
      break;
    case Meaning::acdc:
      if (modifier.number("update_frequency") == 0.0) {
        sink.report(diag::frequency_zero_divides, modifier.place("update_frequency")).with_help("give the epochs of one phase");
      }
      break;
    case Meaning::learning_rate:
      SchedulerRun(modifier, run, sink).check();
      break;
    case Meaning::learning_rate_function:
      check_cycles(modifier, run, sink);
      break;
    case Meaning::epoch_range:
    case Meaning::set_learning_rate:
    case Meaning::set_weight_decay:
    case Meaning::topkast:
    case Meaning::rigl:
    case Meaning::constant_pruning:
    case Meaning::trainable:
    case Meaning::set_param:
    case Meaning::gradual_param:
    case Meaning::quantization:
    case Meaning::legacy_quantization:
    case Meaning::distillation:
    case Meaning::other:
      break;
  }
}

}  // namespace sparsecfg::dialect::sparseml
