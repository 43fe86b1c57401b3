#include "dialect/sparseml/staged/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/table/table.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::sparseml::staged {

using source::Value;

static double start_of(const Modifier& modifier) { return modifier.number("start").value_or(-1); }

static std::optional<double> end_of(const Modifier& modifier) { return modifier.number("end"); }

static bool is_of_training(const Modifier& modifier) {
  const Meaning meaning = meaning_of(modifier);
  return meaning == Meaning::magnitude_pruning || meaning == Meaning::constant_pruning ||
         meaning == Meaning::distillation;
}

// In training, SparseML treats a modifier without a start as a completed one-shot modifier, and a modifier whose end
// has passed as finished.
static bool is_initialized(const Modifier& modifier) {
  const auto end = end_of(modifier);
  return start_of(modifier) >= 0 && !(end && *end == 0);
}

bool never_acts(const Modifier& modifier) {
  const auto end = end_of(modifier);
  return is_of_training(modifier) && (!(start_of(modifier) >= 0) || (end && !(start_of(modifier) < *end)));
}

DIAGNOSTIC(SP216, one_shot_only, error, (Text, Text, Text), "`{}` is one-shot only, but `{}` is {}",
           "The modifier changes the weights once, before any training. It rejects a start or end other than -1.",
           "delete the start and the end")

// Checks a modifier over its run.
class RunCheck {
 public:
  RunCheck(const Reading& reading, const Modifier& modifier, const Run& run)
      : reading_(reading), sink_(reading.sink), modifier_(modifier), run_(run) {}

  void check() {
    if (is_of_training(modifier_)) {
      check_training();
      return;
    }
    check_targets(modifier_, sink_);
    switch (meaning_of(modifier_)) {
      case Meaning::sparse_gpt:
      case Meaning::wanda: check_one_shot_pruner(); break;
      case Meaning::gptq: check_gptq(); break;
      case Meaning::quantization: check_no_end(); break;
      case Meaning::legacy_quantization: check_legacy_quantization(); break;
      case Meaning::smoothing: check_one_shot_only(); break;
      case Meaning::magnitude_pruning:
      case Meaning::constant_pruning:
      case Meaning::distillation:
      case Meaning::opaque: break;
    }
  }

 private:
  bool is_pruner() const { return meaning_of(modifier_) == Meaning::magnitude_pruning; }

  void check_training() {
    if (modifier_.one_shot) {
      return;
    }
    if (!is_initialized(modifier_)) {
      report_never();
      return;
    }
    check_targets(modifier_, sink_);
    const auto curve = is_pruner() ? check_initialize() : std::nullopt;
    if (is_pruner() && !end_of(modifier_)) {
      sink_.report(diag::missing_required, modifier_.place("end"), modifier_.spec->name, "end")
          .with_help("add `end`: SparseML compares it with every step and fails at the first one");
    } else if (never_acts(modifier_)) {
      report_never();
    } else if (run_.epochs && *run_.epochs > 0 && start_of(modifier_) >= *run_.epochs) {
      sink_.report(diag::starts_after_training, modifier_.place("start"), start_of(modifier_), *run_.epochs);
    } else if (curve) {
      check_values(*curve);
    }
  }

  void report_never() {
    const double start = start_of(modifier_);
    if (modifier_.given("start") == nullptr) {
      sink_.report(diag::never_starts, modifier_.place("start"), "a modifier without `start`")
          .with_help("write `start: 0.0` to start immediately: without it SparseML skips the modifier in training");
      return;
    }
    auto& report = sink_.report(diag::never_starts, modifier_.place("start"), fmt::format("a start of {}", start));
    if (!(start >= 0)) {
      report.with_help("write `start: 0.0` to start immediately");
    } else {
      report.with_label(modifier_.place("end"), "the start must be before this end");
    }
  }

  // --- magnitude pruning ----------------------------------------------------------------------

  std::optional<ir::SparsityCurve> check_initialize() {
    if (modifier_.flag("apply_globally")) {
      sink_.report(diag::unknown_choice, modifier_.place("apply_globally"), "true", "apply_globally")
          .with_help("delete the field: global pruning is not implemented for PyTorch");
    }
    const std::string mask = modifier_.text("mask_structure");
    if (!read_structure(mask)) {
      sink_.report(diag::unknown_choice, modifier_.place("mask_structure"), mask, "mask_structure")
          .with_help("use `unstructured`, `channel`, `filter` or a block such as `block_1,4`");
    }
    return read_curve(modifier_, &sink_);
  }

  std::optional<double> value_at(const ir::SparsityCurve& curve, double epoch) const {
    if (const auto* ramp = std::get_if<ir::PowerRamp>(&curve)) {
      return ir::value_at(*ramp, modifier_.number("final_sparsity").value_or(0), start_of(modifier_),
                          *end_of(modifier_), epoch);
    }
    if (const auto* stairs = std::get_if<ir::PiecewiseConstant>(&curve)) {
      return ir::value_at(*stairs, epoch);
    }
    return ir::value_at(std::get<ir::Expression>(curve), epoch);
  }

  // The first step always runs. Later steps can be checked only if the number of steps per epoch is known.
  void check_values(const ir::SparsityCurve& curve) {
    constexpr std::uint64_t kMaxSteps = 20'000;
    const double start = start_of(modifier_);
    if (!run_.steps_per_epoch || !std::isfinite(start) || start > ir::kMaxEpochs) {
      check_value(curve, start);
      return;
    }
    const std::uint64_t steps = *run_.steps_per_epoch;
    const std::uint64_t first = ir::first_step_at(start, steps);
    const std::uint64_t last =
        ir::first_step_at(std::min(*end_of(modifier_), run_.epochs.value_or(*end_of(modifier_))), steps);
    for (std::uint64_t step = first; step < last && step < first + kMaxSteps; ++step) {
      if (!check_value(curve, ir::epoch_of(step, steps))) {
        return;
      }
    }
  }

  // A mask cannot prune more than all weights. A value slightly above 1 is rounded down to all weights.
  bool check_value(const ir::SparsityCurve& curve, double epoch) {
    constexpr double kMaxCount = 1.001;
    const auto value = value_at(curve, epoch);
    const auto place = modifier_.place(modifier_.find("update_scheduler") != nullptr ? FieldName("update_scheduler")
                                                                                     : "final_sparsity");
    if (!value) {
      sink_.report(diag::python_eval, place, fmt::format("the sparsity at epoch {} is not a number", epoch))
          .with_help("change the expression: it divides by zero or takes a root of a negative number");
      return false;
    }
    if (*value <= kMaxCount) {
      return true;
    }
    auto& report = sink_.report(diag::sparsity_out_of_range, place, "sparsity", base::python_repr(*value),
                                fmt::format("[0.0, 1.0] at epoch {}", epoch));
    const auto* ramp = std::get_if<ir::PowerRamp>(&curve);
    if (ramp != nullptr && ramp->decays && std::fmod(ramp->exponent, 2) == 0) {
      report.with_help("write `scheduler_args: {exponent: 3}`: with an even exponent the ramp starts beyond its end");
    }
    return false;
  }

  // --- one shot -------------------------------------------------------------------------------

  void check_one_shot_pruner() {
    const bool is_list =
        modifier_.given("sparsity") != nullptr && modifier_.given("sparsity")->get<source::List>() != nullptr;
    if (!is_list) {
      check_sparsity(modifier_.number("sparsity").value_or(0));
    }
    const std::string mask = modifier_.text("mask_structure");
    if (!read_blocks(mask)) {
      sink_.report(diag::unknown_choice, modifier_.place("mask_structure"), mask, "mask_structure")
          .with_help("write two whole numbers such as `\"2:4\"`, or `\"0:0\"` for unstructured pruning");
    }
    check_profile();
  }

  void check_sparsity(double sparsity) {
    const auto place = modifier_.place("sparsity");
    if (sparsity == 0) {
      sink_.report(diag::sparsity_out_of_range, place, "sparsity", base::python_repr(sparsity), "(0.0, 1.0]")
          .with_severity(meaning_of(modifier_) == Meaning::wanda ? diag::Severity::warning : diag::Severity::error)
          .with_help(modifier_.find("sparsity") == nullptr ? "add `sparsity`, such as `sparsity: 0.5`"
                                                           : "write a sparsity above 0, or delete the modifier");
    } else if (sparsity > 1 && sparsity <= 100) {
      sink_.report(diag::sparsity_looks_like_percent, place, "sparsity", base::python_repr(sparsity))
          .with_help(fmt::format("write `{}`", base::python_repr(sparsity / 100)));
    } else if (!(sparsity > 0 && sparsity <= 1)) {
      sink_.report(diag::sparsity_out_of_range, place, "sparsity", base::python_repr(sparsity), "(0.0, 1.0]")
          .with_severity(diag::Severity::warning);
    }
  }

  void check_profile() {
    const Value* profile = modifier_.given("sparsity_profile");
    if (profile == nullptr) {
      return;
    }
    if (base::to_lower(modifier_.text("sparsity_profile")) != "owl") {
      sink_.report(diag::field_ignored, profile->span, "sparsity_profile", "SparseML supports only `owl`")
          .with_help("write `owl`, or delete the field")
          .with_fix(diag::Fix::safe().remove(modifier_.find("sparsity_profile")->key));
      return;
    }
    for (const std::string_view name : {"owl_m", "owl_lmbda"}) {
      if (modifier_.given(name) == nullptr) {
        sink_.report(diag::missing_required, profile->span, modifier_.spec->name, name)
            .with_help(fmt::format("add `{}`: the profile `owl` requires it", name));
      }
    }
  }

  void check_one_shot_only() {
    for (const std::string_view name : {"end", "start"}) {
      const double epoch = modifier_.number(name).value_or(0);
      if (epoch != 0 && epoch != -1) {
        sink_.report(diag::one_shot_only, modifier_.place(name), modifier_.spec->name, name, base::python_repr(epoch))
            .with_help("delete the field");
      }
    }
  }

  // --- quantization ---------------------------------------------------------------------------

  void check_no_end() {
    const double end = end_of(modifier_).value_or(0);
    if (end != 0 && end != -1) {
      sink_.report(diag::end_epoch_forbidden, modifier_.place("end"), base::python_repr(end))
          .with_help("delete the field");
    }
  }

  void check_legacy_quantization() {
    check_no_end();
    if (const Field* scheme = modifier_.find("scheme")) {
      check_scheme(scheme->value, sink_);
    }
    const Value* overrides = modifier_.given("scheme_overrides");
    if (const auto* map = overrides == nullptr ? nullptr : overrides->get<source::Map>()) {
      for (const source::Entry& entry : *map) {
        check_scheme(entry.second, sink_);
      }
    }
  }

  // The modifier described by `quantize` is built like a modifier of a group.
  void check_gptq() {
    const Value* quantize = modifier_.given("quantize");
    const auto* map = quantize == nullptr ? nullptr : quantize->get<source::Map>();
    if (map == nullptr) {
      return;
    }
    if (map->size() != 1) {
      sink_.report(diag::wrong_type, quantize->span, "quantize", "a mapping with one modifier",
                   fmt::format("a mapping with {}", map->size()));
      return;
    }
    const source::Entry& only = map->front();
    if (only.second.get<source::Map>() == nullptr) {
      sink_.report(diag::null_section, only.first.span, source::python_str(only.first), "has no fields");
      return;
    }
    const Written inner{
        source::python_str(only.first), only.first.span, only.second, modifier_.stage, modifier_.group, true};
    if (const auto built = stages::read_modifier(reading_, inner, 0); built && built->valid) {
      check_run(reading_, *built, run_);
    }
  }

  const Reading& reading_;
  diag::Sink& sink_;
  const Modifier& modifier_;
  const Run& run_;
};

void check_run(const Reading& reading, const Modifier& modifier, const Run& run) {
  RunCheck(reading, modifier, run).check();
}

}  // namespace sparsecfg::dialect::sparseml::staged
