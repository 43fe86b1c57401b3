#include "dialect/sparseml/staged/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "dialect/sparseml/staged/types.h"
#include "dialect/sparseml/table/table.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::sparseml::staged {

static bool is_of_training(const Modifier& modifier) {
  const ClassKind kind = kind_of(modifier);
  return kind == ClassKind::magnitude_pruning || kind == ClassKind::constant_pruning || kind == ClassKind::distillation;
}

// In training, SparseML treats a modifier without a start as a completed one-shot modifier, and a modifier whose end
// has passed as finished.
static bool is_initialized(const Window& window) {
  return window.start.value_or(-1) >= 0 && window.end.value_or(1) != 0;
}

static bool never_acts(const Window& window) {
  const double start = window.start.value_or(-1);
  return !(start >= 0) || (window.end && !(start < *window.end));
}

bool never_acts(const Modifier& modifier) { return is_of_training(modifier) && never_acts(Window(modifier)); }

// --- training -----------------------------------------------------------------------------------------------------

static void report_never(const Modifier& modifier, const Window& window, diag::Sink& sink) {
  const auto& start = window.start;
  if (start.given() == nullptr) {
    const Field* written_start = modifier.find("start_epoch");  // the name in older recipes, which is reported
    sink.report(diag::never_starts, start.place(), "a modifier without `start`")
        .with_cause(written_start == nullptr ? source::Span() : written_start->key)
        .with_help("write `start: 0.0` to start immediately: without it SparseML skips the modifier in training");
    return;
  }
  auto& report = sink.report(diag::never_starts, start.place(), fmt::format("a start of {}", *start));
  if (!(*start >= 0)) {
    report.with_help("write `start: 0.0` to start immediately");
  } else {
    report.with_label(window.end.place(), "the start must be before this end");
  }
}

static std::optional<ir::SparsityCurve> check_initialize(const Modifier& modifier, diag::Sink& sink) {
  const MagnitudePruning pruning(modifier);
  if (pruning.apply_globally.value_or(false)) {
    sink.report(diag::unknown_choice, pruning.apply_globally.place(), "true", "apply_globally")
        .with_help("delete the field: global pruning is not implemented for PyTorch");
  }
  const auto& mask = pruning.mask_structure;
  if (!read_structure(mask.value_or(""))) {
    sink.report(diag::unknown_choice, mask.place(), mask.value_or(""), "mask_structure")
        .with_help("use `unstructured`, `channel`, `filter` or a block such as `block_1,4`");
  }
  return read_curve(modifier, &sink);
}

// A ramp of a pruner over its run.
struct Ramp {
  MagnitudePruning pruning;
  double start;
  double end;
  ir::SparsityCurve curve;

  // Returns nullopt if the sparsity is not a number.
  [[nodiscard]] std::optional<double> value_at(double epoch) const {
    if (const auto* ramp = std::get_if<ir::PowerRamp>(&curve)) {
      return ir::value_at(*ramp, pruning.final_sparsity.value_or(0), start, end, epoch);
    }
    if (const auto* stairs = std::get_if<ir::PiecewiseConstant>(&curve)) {
      return ir::value_at(*stairs, epoch);
    }
    return ir::value_at(std::get<ir::Expression>(curve), epoch);
  }

  [[nodiscard]] source::Span place() const {
    const auto& scheduler = pruning.update_scheduler;
    return scheduler.field() != nullptr ? scheduler.place() : pruning.final_sparsity.place();
  }
};

// A mask cannot prune more than all weights. A value slightly above 1 is rounded down to all weights.
static bool check_value(const Ramp& ramp, double epoch, diag::Sink& sink) {
  constexpr double kMaxCount = 1.001;
  const auto value = ramp.value_at(epoch);
  if (!value) {
    sink.report(diag::python_eval, ramp.place(), fmt::format("the sparsity at epoch {} is not a number", epoch))
        .with_help("change the expression: it divides by zero or takes a root of a negative number");
    return false;
  }
  if (*value <= kMaxCount) {
    return true;
  }
  auto& report = sink.report(diag::sparsity_out_of_range, ramp.place(), "sparsity", base::python_repr(*value),
                             fmt::format("[0.0, 1.0] at epoch {}", epoch));
  const auto* power = std::get_if<ir::PowerRamp>(&ramp.curve);
  if (power != nullptr && power->decays && std::fmod(power->exponent, 2) == 0) {
    report.with_help("write `scheduler_args: {exponent: 3}`: with an even exponent the ramp starts beyond its end");
  }
  return false;
}

// The first step always runs. Later steps can be checked only if the number of steps per epoch is known.
static void check_values(const Ramp& ramp, const Run& run, diag::Sink& sink) {
  constexpr std::uint64_t kMaxSteps = 20'000;
  if (!run.steps_per_epoch || !std::isfinite(ramp.start) || ramp.start > ir::kMaxEpochs) {
    check_value(ramp, ramp.start, sink);
    return;
  }
  const std::uint64_t steps = *run.steps_per_epoch;
  const std::uint64_t first = ir::first_step_at(ramp.start, steps);
  const std::uint64_t last = ir::first_step_at(std::min(ramp.end, run.epochs.value_or(ramp.end)), steps);
  for (std::uint64_t step = first; step < last && step < first + kMaxSteps; ++step) {
    if (!check_value(ramp, ir::epoch_of(step, steps), sink)) return;
  }
}

DIAGNOSTIC(
    SP441, scale_becomes_count, silent_warning, (),
    "a `distill_scale` of 1.0 is replaced by the number of distilled layers",
    "With `comparison: square_head`, SparseML takes 1.0 for a scale that is not set, and weights the loss of the "
    "teacher by the number of layers.",
    "write `distill_scale: 1.0001` for a weight of 1")

// Reports a written scale that SparseML cannot tell from the default. A single layer keeps it.
static void check_scale(const Modifier& modifier, diag::Sink& sink) {
  const Field* scale = modifier.readable("distill_scale");
  const Field* targets = modifier.readable("targets");
  const auto* list = targets == nullptr ? nullptr : targets->value.get<source::List>();
  const auto* only = list == nullptr || list->size() != 1 ? nullptr : list->front().get<std::string>();
  const bool single = only != nullptr && !only->starts_with("re:") && only->find('.') != std::string::npos;
  if (scale == nullptr || scale->value.number() != 1.0 || modifier.text("comparison") != "square_head" || single)
    return;
  sink.report(diag::scale_becomes_count, scale->value.span)
      .with_help("write `distill_scale: 1.0001` for a weight of 1, or delete the field to weight each layer by 1")
      .with_fix(diag::Fix::unsafe().replace(scale->value.span, "1.0001"));
}

static void check_training(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Window window(modifier);
  if (!is_initialized(window)) {
    report_never(modifier, window, sink);
    return;
  }
  check_targets(modifier, sink);
  if (kind_of(modifier) == ClassKind::distillation) check_scale(modifier, sink);
  const bool prunes = kind_of(modifier) == ClassKind::magnitude_pruning;
  auto curve = prunes ? check_initialize(modifier, sink) : std::nullopt;
  if (prunes && !window.end) {
    sink.report(diag::missing_required, window.end.place(), modifier.spec->name, "end")
        .with_help("add `end`: SparseML compares it with every step and fails at the first one");
  } else if (never_acts(window)) {
    report_never(modifier, window, sink);
  } else if (run.epochs && *run.epochs > 0 && *window.start >= *run.epochs) {
    sink.report(diag::starts_after_training, window.start.place(), *window.start, *run.epochs)
        .with_help(advice_on_late_start(modifier, *window.start, "start", *run.epochs, run.steps_per_epoch));
  } else if (curve) {
    check_values({MagnitudePruning(modifier), *window.start, *window.end, std::move(*curve)}, run, sink);
  }
}

// --- one shot -----------------------------------------------------------------------------------------------------

static void check_sparsity(const Setting<double>& setting, bool wanda, diag::Sink& sink) {
  const double sparsity = setting.value_or(0);
  if (sparsity == 0) {
    sink.report(diag::sparsity_out_of_range, setting.place(), "sparsity", base::python_repr(sparsity), "(0.0, 1.0]")
        .with_severity(wanda ? diag::Severity::warning : diag::Severity::error)
        .with_help(setting.field() == nullptr ? "add `sparsity`, such as `sparsity: 0.5`"
                                              : "write a sparsity above 0, or delete the modifier");
  } else if (sparsity > 1 && sparsity <= 100) {
    sink.report(diag::sparsity_looks_like_percent, setting.place(), "sparsity", base::python_repr(sparsity))
        .with_help(fmt::format("write `{}`", base::python_repr(sparsity / 100)));
  } else if (!(sparsity > 0 && sparsity <= 1)) {
    sink.report(diag::sparsity_out_of_range, setting.place(), "sparsity", base::python_repr(sparsity), "(0.0, 1.0]")
        .with_severity(diag::Severity::warning);
  }
}

static void check_profile(const Modifier& modifier, const OneShotPruning& pruning, diag::Sink& sink) {
  const auto& profile = pruning.sparsity_profile;
  if (!profile) {
    return;
  }
  if (base::to_lower(*profile) != "owl") {
    sink.report(diag::field_ignored, profile.place(), "sparsity_profile", "SparseML supports only `owl`")
        .with_help("write `owl`, or delete the field")
        .with_fix(diag::Fix::safe().remove(profile.field()->key));
    return;
  }
  const auto require = [&](bool given, std::string_view name) {
    if (given) return;
    sink.report(diag::missing_required, profile.place(), modifier.spec->name, name)
        .with_help(fmt::format("add `{}`: the profile `owl` requires it", name));
  };
  require(pruning.owl_m.given() != nullptr, "owl_m");
  require(pruning.owl_lmbda.given() != nullptr, "owl_lmbda");
}

static void check_one_shot_pruner(const Modifier& modifier, diag::Sink& sink) {
  const OneShotPruning pruning(modifier);
  if (!pruning.sparsities) check_sparsity(pruning.sparsity, kind_of(modifier) == ClassKind::wanda, sink);
  const auto& mask = pruning.mask_structure;
  if (!read_blocks(mask.value_or(""))) {
    sink.report(diag::unknown_choice, mask.place(), mask.value_or(""), "mask_structure")
        .with_help("write two whole numbers such as `\"2:4\"`, or `\"0:0\"` for unstructured pruning");
  }
  check_profile(modifier, pruning, sink);
}

DIAGNOSTIC(SP216, one_shot_only, error, (Text, Text, Text), "`{}` is one-shot only, but `{}` is {}",
           "The modifier changes the weights once, before any training. It rejects a start or end other than -1.",
           "delete the start and the end")

static void check_one_shot_only(const Modifier& modifier, diag::Sink& sink) {
  const Window window(modifier);
  const auto check = [&](const Setting<double>& epoch, std::string_view name) {
    if (epoch.value_or(0) == 0 || *epoch == -1) return;
    sink.report(diag::one_shot_only, epoch.place(), modifier.spec->name, name, base::python_repr(*epoch))
        .with_help("delete the field");
  };
  check(window.end, "end");
  check(window.start, "start");
}

// --- quantization -------------------------------------------------------------------------------------------------

static void check_no_end(const Modifier& modifier, diag::Sink& sink) {
  const Window window(modifier);
  const double end = window.end.value_or(0);
  if (end != 0 && end != -1) {
    sink.report(diag::end_epoch_forbidden, window.end.place(), base::python_repr(end)).with_help("delete the field");
  }
}

static void check_legacy_quantization(const Modifier& modifier, diag::Sink& sink) {
  check_no_end(modifier, sink);
  if (const Field* scheme = modifier.find("scheme")) check_scheme(scheme->value, sink);
  for (const source::Entry& entry : Setting<Pairs>(modifier, "scheme_overrides").value_or({})) {
    check_scheme(entry.second, sink);
  }
}

// The modifier described by `quantize` is built like a modifier of a group.
static void check_gptq(const Context& context, const Modifier& modifier, const Run& run) {
  const Setting<Pairs> quantize(modifier, "quantize");
  if (!quantize) {
    return;
  }
  if (quantize->size() != 1) {
    context.sink.report(diag::wrong_type, quantize.place(), "quantize", "a mapping with one modifier",
                        fmt::format("a mapping with {}", quantize->size()));
    return;
  }
  const auto& [name, fields] = quantize->front();
  if (fields.get<source::Map>() == nullptr) {
    context.sink.report(diag::null_section, name.span, source::python_str(name), "has no fields");
    return;
  }
  const ModifierNode inner{source::python_str(name), name.span, fields, modifier.stage, modifier.group, true};
  if (const auto built = stages::read_modifier(context, inner, 0); built && built->valid) {
    check_run(context, *built, run);
  }
}

void check_run(const Context& context, const Modifier& modifier, const Run& run) {
  if (is_of_training(modifier)) {
    if (!modifier.one_shot) check_training(modifier, run, context.sink);
    return;
  }
  check_targets(modifier, context.sink);
  switch (kind_of(modifier)) {
    case ClassKind::sparse_gpt:
    case ClassKind::wanda: check_one_shot_pruner(modifier, context.sink); break;
    case ClassKind::gptq: check_gptq(context, modifier, run); break;
    case ClassKind::quantization: check_no_end(modifier, context.sink); break;
    case ClassKind::legacy_quantization: check_legacy_quantization(modifier, context.sink); break;
    case ClassKind::smoothing: check_one_shot_only(modifier, context.sink); break;
    case ClassKind::magnitude_pruning:
    case ClassKind::constant_pruning:
    case ClassKind::distillation:
    case ClassKind::opaque: break;
  }
}

}  // namespace sparsecfg::dialect::sparseml::staged
