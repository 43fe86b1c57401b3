#include "dialect/sparseml/lower.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "dialect/sparseml/rules.h"

namespace sparsecfg::dialect::sparseml {

using source::Located;
using source::Value;

// Fields of one sound modifier, read as parts of the IR.
class Lowering {
 public:
  Lowering(const Modifier& modifier, diag::Sink& sink) : modifier_(modifier), sink_(sink) {}

  ir::Effect effect() {
    switch (modifier_.spec->meaning) {
      case Meaning::epoch_range: return ir::EpochRange{};
      case Meaning::set_learning_rate: return ir::SetLearningRate{located("learning_rate"), groups()};
      case Meaning::learning_rate_function: return learning_rate_function();
      case Meaning::learning_rate: return scheduler();
      case Meaning::set_weight_decay: return ir::SetWeightDecay{located("weight_decay"), groups()};
      case Meaning::gradual_pruning: return gradual();
      case Meaning::acdc: return sparse_training(ir::Alternation{}, "compression_sparsity", "magnitude");
      case Meaning::topkast:
        return sparse_training(ir::ForwardBackward{located("backward_sparsity")}, "forward_sparsity", "magnitude");
      case Meaning::rigl:
        return sparse_training(ir::Distributed{modifier_.text("sparsity_strategy")}, "final_sparsity", "gradient");
      case Meaning::constant_pruning: return ir::HoldMask{selector("params")};
      case Meaning::trainable: return ir::SetTrainable{counts_as_true("trainable"), selector("params")};
      case Meaning::set_param: return ir::SetParameter{std::nullopt, value("val"), selector("params")};
      case Meaning::gradual_param: return ir::SetParameter{value("init_val"), value("final_val"), selector("params")};
      case Meaning::quantization:
      case Meaning::legacy_quantization: return quantize();
      case Meaning::distillation: return distill();
      case Meaning::other: return opaque();
    }
    return ir::Opaque{};
  }

  ir::Effect opaque() {
    for (const std::string_view name : {"params", "layers"}) {
      if (modifier_.readable(name) != nullptr && modifier_.spec->find(name) != nullptr) {
        return ir::Opaque{selector(name)};
      }
    }
    return ir::Opaque{};
  }

 private:
  Located<double> located(std::string_view name) const { return {modifier_.number(name).value_or(0), modifier_.place(name)}; }

  Value value(std::string_view name) const {
    const Field* field = modifier_.find(name);
    return field == nullptr ? Value{} : field->value;
  }

  ir::Selector selector(std::string_view name) {
    const Field* field = modifier_.find(name);
    return field == nullptr ? all_prunable(modifier_.tag) : selector_of(field->value, name);
  }

  // An empty list means every prunable weight to the gradual pruners and nothing to the others.
  ir::Selector selector_of(const Value& value, std::string_view name) {
    const auto* list = value.get<source::List>();
    const bool empty = value.is_null() || (list != nullptr && list->empty());
    if (empty && modifier_.spec->meaning == Meaning::gradual_pruning) {
      return all_prunable(value.span);
    }
    if (list != nullptr && list->empty() && prunes()) {
      sink_.report(diag::null_section, value.span, name).with_help("name the parameters, or write `__ALL_PRUNABLE__`");
    }
    return read_selector(modifier_, value, name, sink_);
  }

  bool prunes() const {
    const Meaning meaning = modifier_.spec->meaning;
    return meaning == Meaning::acdc || meaning == Meaning::topkast || meaning == Meaning::rigl || meaning == Meaning::constant_pruning;
  }

  static ir::Selector all_prunable(source::Span span) {
    return {{{ir::Term::Kind::all_prunable, "__ALL_PRUNABLE__", span}}, ir::Selector::Over::parameters, true};
  }

  ir::ParameterGroups groups() const {
    ir::ParameterGroups out;
    const Value given = value("param_groups");
    if (const auto* list = given.get<source::List>()) {
      for (const Value& item : *list) {
        if (const auto* index = item.get<std::int64_t>()) out.push_back(*index);
      }
    }
    return out;
  }

  // SparseML's reading of a text: false if it is empty or holds an `f` or a `0`.
  bool counts_as_true(std::string_view name) const {
    const Value given = value(name);
    if (const auto* text = given.get<std::string>()) {
      return !text->empty() && base::to_lower(*text).find_first_of("f0") == std::string::npos;
    }
    return given.number().value_or(0) != 0;
  }

  bool flag(std::string_view name) const {
    const Field* field = modifier_.find(name);
    if (field == nullptr) {
      const FieldSpec* spec = modifier_.spec->find(name);
      return spec != nullptr && spec->standard == "true";
    }
    const auto* text = field->value.get<std::string>();
    return text != nullptr ? !text->empty() : field->value.number().value_or(0) != 0;
  }

  ir::Effect learning_rate_function() const {
    const std::string kind = modifier_.text("lr_func");
    using Kind = ir::LearningRateCurve::Kind;
    return ir::LearningRateCurve{kind == "linear" ? Kind::linear : kind == "cosine" ? Kind::cosine : Kind::cyclic_linear,
                                 located("init_lr"), located("final_lr"), located("cycle_epochs"), groups()};
  }

  ir::Effect scheduler() const {
    const Value kwargs = value("lr_kwargs");
    const auto argument = [&](std::string_view name, double otherwise) {
      const Value* given = kwargs.find(name);
      return given == nullptr ? otherwise : given->number().value_or(otherwise);
    };
    const std::string name = modifier_.text("lr_class");
    ir::TorchScheduler out;
    using Kind = ir::TorchScheduler::Kind;
    out.kind = name == "MultiStepLR" ? Kind::multi_step : name == "CosineAnnealingWarmRestarts" ? Kind::cosine_warm_restarts : Kind::step;
    out.initial_rate = located("init_lr");
    out.gamma = argument("gamma", 1);
    out.step_size = name == "ExponentialLR" ? 1 : argument("step_size", 1);
    out.least_rate = argument("lr_min", 0);
    out.cycle_epochs = argument("cycle_epochs", 1);
    out.cycle_growth = argument("T_mult", 1);
    const Value* milestones = kwargs.find("milestones");
    if (const auto* list = milestones == nullptr ? nullptr : milestones->get<source::List>()) {
      for (const Value& milestone : *list) {
        out.milestones.push_back({milestone.number().value_or(0), milestone.span});
      }
    }
    return out;
  }

  std::string criterion() const {
    const std::string_view name = modifier_.spec->name;
    return name == "MovementPruningModifier" ? "movement"
           : name == "MFACPruningModifier"   ? "mfac"
           : name == "OBSPruningModifier"    ? "obs"
                                             : "magnitude";
  }

  ir::Structure structure() const {
    if (modifier_.spec->name == "StructuredPruningModifier") {
      return {modifier_.text("mask_type") == "channel" ? ir::Structure::Kind::channel : ir::Structure::Kind::filter};
    }
    const Field* mask = modifier_.find("mask_type");
    return mask == nullptr ? ir::Structure{} : read_structure(mask->value).value_or(ir::Structure{});
  }

  bool is_global() const { return modifier_.spec->name == "GlobalMagnitudePruningModifier" || flag("global_sparsity"); }

  ir::Effect gradual() {
    const std::string shape = modifier_.text("inter_func");
    ir::Ramp ramp{std::nullopt, shape == "linear" ? ir::Shape::linear : shape == "cubic" ? ir::Shape::cubic : ir::Shape::inverse_cubic};
    if (modifier_.number("init_sparsity")) {
      ramp.from = located("init_sparsity");
    }
    return ir::Prune{ramp, targets(), structure(), criterion(), is_global(), flag("leave_enabled")};
  }

  // SparseML sorts the mapping, so the smallest sparsity comes first.
  std::vector<ir::Target> targets() {
    const Value final_sparsity = value("final_sparsity");
    const auto* map = final_sparsity.get<source::Map>();
    if (map == nullptr) {
      return {{located("final_sparsity"), selector("params")}};
    }
    std::vector<ir::Target> out;
    for (const auto& [sparsity, selectors] : *map) {
      out.push_back({{sparsity.number().value_or(0), sparsity.span}, read_selector(modifier_, selectors, "final_sparsity", sink_)});
    }
    std::ranges::stable_sort(out, {}, [](const ir::Target& target) { return target.sparsity.value; });
    return out;
  }

  ir::Effect sparse_training(ir::SparsityCurve curve, std::string_view sparsity, std::string criterion) {
    return ir::Prune{std::move(curve), {{located(sparsity), selector("params")}}, structure(), std::move(criterion),
                     modifier_.spec->meaning != Meaning::rigl && flag("global_sparsity"), flag("leave_enabled")};
  }

  std::optional<Located<double>> given(std::string_view name) const {
    return modifier_.gives(name) ? std::optional(located(name)) : std::nullopt;
  }

  ir::Effect quantize() const {
    return ir::Quantize{modifier_.spec->meaning == Meaning::quantization, value("scheme"), value("scheme_overrides"),
                        value("ignore"), given("disable_quantization_observer_epoch"), given("freeze_bn_stats_epoch")};
  }

  ir::Effect distill() const {
    return ir::Distill{modifier_.spec->name == "PerLayerDistillationModifier", given("hardness"), given("temperature")};
  }

  const Modifier& modifier_;
  diag::Sink& sink_;
};

static ir::Cadence cadence_of(const Modifier& modifier) {
  ir::Cadence cadence{ir::Cadence::Kind::drifting, {modifier.start(), modifier.place("start_epoch")}, {modifier.end(), modifier.place("end_epoch")}, std::nullopt};
  const FieldSpec* frequency = modifier.spec->find("update_frequency");
  if (frequency != nullptr) {
    const bool ignored = !frequency->ignored.empty();
    cadence.every = Located<double>{ignored ? -1 : modifier.number("update_frequency").value_or(-1), modifier.place("update_frequency")};
  }
  return cadence;
}

static ir::Origin origin_of(const Modifier& modifier) {
  ir::Origin origin{std::string(modifier.spec->name), modifier.ordinal, modifier.stage, modifier.group, modifier.tag, {}};
  for (const Field& field : modifier.fields) {
    origin.fields.push_back({field.name, field.key, field.value, field.evaluated});
  }
  return origin;
}

ir::Action lower(const Modifier& modifier, diag::Sink& sink) {
  Lowering lowering(modifier, sink);
  const std::size_t errors = sink.count(diag::Severity::error);
  ir::Effect effect = modifier.sound ? lowering.effect() : lowering.opaque();
  const bool sound = modifier.sound && sink.count(diag::Severity::error) == errors;
  return {std::move(effect), modifier.sound ? cadence_of(modifier) : ir::Cadence{}, origin_of(modifier), sound};
}

}  // namespace sparsecfg::dialect::sparseml
