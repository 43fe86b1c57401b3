#include "dialect/sparseml/write/write.h"

#include <algorithm>
#include <unordered_set>

#include "dialect/write.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::sparseml {

using source::Map;
using source::Value;

// Returns the layer names and types of a selector. Returns nullopt if it has patterns or exclusions.
static std::optional<std::vector<std::string>> keys_of(const model::Selector& selector) {
  std::vector<std::string> keys;
  for (const model::Term& term : selector.terms) {
    if (term.kind != model::Term::Kind::exact && term.kind != model::Term::Kind::module_type) return std::nullopt;
    keys.push_back(term.text);
  }
  const auto is_type = [](const model::Term& term) { return term.kind == model::Term::Kind::module_type; };
  const bool mixed = std::ranges::any_of(selector.terms, is_type) && !std::ranges::all_of(selector.terms, is_type);
  return keys.empty() || mixed || !selector.excluded.empty() ? std::nullopt : std::optional(std::move(keys));
}

static void drop_without_names(const ir::Action& action, ActionStatus& status, diag::Sink& sink) {
  status.kind = ActionStatus::Kind::dropped;
  status.reason = "SparseML requires the layer names; pass them with `--modules`";
  dialect::report(status, sink, diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
}

// --- quantization ------------------------------------------------------------------------------------

constexpr std::int64_t kMaxBits = 8;

static bool is_too_fine(const ir::Grid& grid) { return grid.bits > kMaxBits; }

// SparseML observes activations per tensor.
static Value arguments_of(const std::vector<ir::Grid>& grids, std::string_view tensor) {
  const auto grid = std::ranges::find(grids, tensor, &ir::Grid::tensor);
  if (grid == grids.end() || is_too_fine(*grid)) {
    return {};
  }
  const bool by_channel = grid->by_channel && tensor == "weights";
  return {Map{{word("num_bits"), {grid->bits, {}}},
              {word("symmetric"), {grid->symmetric, {}}},
              {word("strategy"), word(by_channel ? "channel" : "tensor")}},
          {}};
}

// Writes all parts, because a missing part would get a default.
static Value scheme_of(const std::vector<ir::Grid>& grids) {
  return {Map{{word("weights"), arguments_of(grids, "weights")},
              {word("input_activations"), arguments_of(grids, "inputs")},
              {word("output_activations"), arguments_of(grids, "outputs")}},
          {}};
}

class QuantizationWriter {
 public:
  QuantizationWriter(const ir::Recipe& recipe, const WriteOptions& options, std::vector<ActionStatus>& statuses,
                     diag::Sink& sink)
      : recipe_(recipe), options_(options), statuses_(statuses), sink_(sink) {}

  std::optional<Draft> write() {
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      if (const auto* quantize = std::get_if<ir::Quantize>(&recipe_.actions[index].effect)) add(index, *quantize);
    }
    if (!start_) {
      return std::nullopt;
    }
    Draft draft{"QuantizationModifier", "", "quantization_modifiers", {}};
    draft.set("start_epoch", real(*start_));
    draft.set("scheme", std::move(scheme_));
    if (!overrides_.empty()) {
      draft.set("scheme_overrides", {std::move(overrides_), {}});
    }
    if (!fuses_) {
      draft.set("model_fuse_fn_name", word("no_fuse"));
    }
    return draft;
  }

 private:
  void add(std::size_t index, const ir::Quantize& quantize) {
    const ir::Action& action = recipe_.actions[index];
    const ActionPlan& plan = options_.plan.of(index);
    ActionStatus& status = statuses_[index];
    if (quantize.grids.empty()) {
      drop(status, action, "SparseML supports only uniform quantization with observed ranges", sink_);
      return;
    }
    if (std::ranges::all_of(quantize.grids, is_too_fine)) {
      drop(status, action, "SparseML quantizes to at most 8 bits", sink_);
      return;
    }
    const auto start = start_of(action, status);
    if (!start || !add_layers(action, quantize, status)) {
      return;
    }
    if (start_ && *start_ != *start) {
      approximate(status, action, "SparseML starts to quantize all layers at the same time", sink_);
    }
    start_ = start_ ? std::min(*start_, *start) : *start;
    fuses_ |= plan.fuses_layers;
    approximate(status, action, "SparseML observes value ranges with its own method", sink_);
    if (std::ranges::any_of(quantize.grids, is_too_fine)) {
      approximate(status, action, "SparseML quantizes to at most 8 bits; tensors with more bits are not quantized",
                  sink_);
    }
    if (plan.assumes_class) {
      approximate(status, action, "no quantizer is named, so `QATQuantizer` is assumed", sink_);
    }
  }

  // Returns the epoch of the first quantized step. Returns nullopt if the action counts steps and the number of steps
  // per epoch is unknown.
  std::optional<double> start_of(const ir::Action& action, ActionStatus& status) {
    const auto* counted = action.cadence.counted();
    if (!counted) {
      return std::max(action.cadence.start.value, 0.0);
    }
    if (counted->first > 0 && !options_.read.steps_per_epoch) {
      status.kind = ActionStatus::Kind::dropped;
      status.reason = "the schedule counts steps";
      dialect::report(status, sink_, diag::steps_to_epochs_needs_spe, action.origin.span, action.origin.class_name,
                      "steps", "epochs");
      return std::nullopt;
    }
    return ir::epoch_of(counted->first, options_.read.steps_per_epoch.value_or(1));
  }

  // Layers that no action selects are not quantized. An action without layers selects all layers.
  bool add_layers(const ir::Action& action, const ir::Quantize& quantize, ActionStatus& status) {
    if (!options_.plan.selects_layers) {
      scheme_ = scheme_of(quantize.grids);
      if (!quantize.overrides.is_null()) {
        dialect::report(status, sink_, diag::field_dropped, quantize.overrides.span, "overrides",
                        action.origin.class_name, "SparseML");
        status.approximate("`overrides` is omitted");
      }
      return true;
    }
    const auto keys = quantize.layers.empty() ? std::nullopt : keys_of(quantize.layers.front());
    if (!keys) {
      drop_without_names(action, status, sink_);
      return false;
    }
    for (const std::string& key : *keys) {
      if (overridden_.insert(key).second) overrides_.emplace_back(word(key), scheme_of(quantize.grids));
    }
    return true;
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  std::vector<ActionStatus>& statuses_;
  diag::Sink& sink_;
  std::optional<double> start_;
  Value scheme_ = scheme_of({});
  Map overrides_;
  std::unordered_set<std::string> overridden_;  // keys of `overrides_`
  bool fuses_ = false;
};

std::optional<Draft> quantization_modifier(const ir::Recipe& recipe, const WriteOptions& options,
                                           std::vector<ActionStatus>& statuses, diag::Sink& sink) {
  return QuantizationWriter(recipe, options, statuses, sink).write();
}

// --- distillation ------------------------------------------------------------------------------------

static Draft outputs_draft(double factor) {
  Draft draft{"DistillationModifier", "", "distillation_modifiers", {}};
  draft.set("start_epoch", real(0));
  draft.set("hardness", real(factor / (1 + factor)));
  draft.set("temperature", real(2));
  return draft;
}

static Value list_of(const std::vector<std::string>& names) {
  source::List list;
  for (const std::string& name : names) list.push_back(word(name));
  return {std::move(list), {}};
}

static Draft layers_draft(double factor, const std::vector<std::string>& student,
                          const std::vector<std::string>& teacher) {
  Draft draft{"PerLayerDistillationModifier", "", "distillation_modifiers", {}};
  draft.set("start_epoch", real(0));
  draft.set("gain", real(factor));
  draft.set("normalize", {false, {}});
  draft.set("project_features", {false, {}});
  draft.set("student_layer_names", list_of(student));
  draft.set("teacher_layer_names", list_of(teacher));
  return draft;
}

std::optional<Draft> distillation_modifier(const ir::Action& action, const ir::Distill& distill, ActionStatus& status,
                                           diag::Sink& sink) {
  if (!distill.layers || !distill.factor || (distill.measure != "mse" && distill.measure != "kl")) {
    drop(status, action, "SparseML combines the teacher loss in another way", sink);
    return std::nullopt;
  }
  const double factor = distill.factor->value;
  if (distill.measure == "kl") {
    approximate(status, action, "SparseML compares model outputs and weights the losses by `hardness`", sink);
    return outputs_draft(factor);
  }
  const auto is_name = [](const model::Term& term) { return term.kind == model::Term::Kind::exact; };
  const auto student = keys_of(*distill.layers);
  if (!student || !std::ranges::all_of(distill.layers->terms, is_name)) {
    drop_without_names(action, status, sink);
    return std::nullopt;
  }
  approximate(status, action, "SparseML scales layer distances differently", sink);
  std::vector<std::string> teacher = *student;
  if (distill.teacher_layers && distill.teacher_layers->terms.size() == 1) {
    std::ranges::fill(teacher, distill.teacher_layers->terms.front().text);
  }
  return layers_draft(factor, *student, teacher);
}

}  // namespace sparsecfg::dialect::sparseml
