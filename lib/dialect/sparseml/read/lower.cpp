#include "dialect/sparseml/read/lower.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "dialect/sparseml/rules/rules.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::sparseml {

using source::Located;
using source::Value;

std::optional<Located<double>> given(const Record& modifier, std::string_view name) {
  return modifier.gives(name) ? std::optional(modifier.located(name)) : std::nullopt;
}

Value value_of(const Modifier& modifier, std::string_view name) {
  const Field* field = modifier.find(name);
  return field == nullptr ? Value{} : field->value;
}

// Lowers a valid modifier to the IR.
class Lowering {
 public:
  Lowering(const Modifier& modifier, diag::Sink& sink) : modifier_(modifier), sink_(sink) {}

  ir::Effect effect() {
    switch (modifier_.spec->kind.as<ClassKind>()) {
      case ClassKind::epoch_range: return ir::EpochRange{};
      case ClassKind::set_learning_rate: return set_learning_rate();
      case ClassKind::learning_rate_function: return learning_rate_function();
      case ClassKind::learning_rate: return scheduler();
      case ClassKind::set_weight_decay: return ir::SetWeightDecay{located("weight_decay"), groups()};
      case ClassKind::gradual_pruning: return gradual();
      case ClassKind::acdc: return sparse_training(ir::Alternation{}, "compression_sparsity", "magnitude");
      case ClassKind::topkast:
        return sparse_training(ir::ForwardBackward{located("backward_sparsity")}, "forward_sparsity", "magnitude");
      case ClassKind::rigl:
        return sparse_training(ir::Distributed{modifier_.text("sparsity_strategy")}, "final_sparsity", "gradient");
      case ClassKind::constant_pruning: return ir::HoldMask{selector("params")};
      case ClassKind::trainable:
        return ir::SetTrainable{is_trainable(), selector("params"), modifier_.framework == Framework::pytorch_2020};
      case ClassKind::set_param: return ir::SetParameter{std::nullopt, value("val"), selector("params")};
      case ClassKind::gradual_param: return ir::SetParameter{value("init_val"), value("final_val"), selector("params")};
      case ClassKind::quantization:
      case ClassKind::legacy_quantization: return quantize(modifier_);
      case ClassKind::distillation: return distill();
      case ClassKind::other: return opaque();
    }
    return ir::Opaque{};
  }

  ir::Effect opaque() {
    for (const std::string_view name : {"params", "layers"}) {
      if (modifier_.readable(name) != nullptr && modifier_.spec->find(name) != nullptr) {
        return ir::Opaque{selector(name)};
      }
    }
    return ir::Opaque{std::nullopt, modifier_.spec->name == "LayerThinningModifier"};
  }

 private:
  Located<double> located(std::string_view name) const { return modifier_.located(name); }

  Value value(std::string_view name) const { return value_of(modifier_, name); }

  std::optional<Located<double>> given(std::string_view name) const { return sparseml::given(modifier_, name); }

  model::Selector selector(std::string_view name) {
    if (modifier_.spec->find("param") != nullptr) {
      return parameter_of_layers(modifier_.text("param"));
    }
    const Field* field = modifier_.find(name);
    return field == nullptr ? all_prunable(modifier_.key) : selector_of(field->value, name);
  }

  // Lowers the oldest form, which lists layers and the name of one parameter in each.
  model::Selector parameter_of_layers(const std::string& parameter) {
    model::Selector layers = selector_of(value("layers"), "layers");
    for (model::Term& term : layers.terms) {
      const bool every = term.kind == model::Term::Kind::all;
      term = {every ? model::Term::Kind::pattern : model::Term::Kind::exact,
              every ? ".*\\." + regex::literal(parameter) + "$" : term.text + "." + parameter, term.span};
    }
    layers.over = model::Selector::Over::parameters;
    return layers;
  }

  // Gradual pruners read an empty list as all prunable weights, other modifiers as no parameters.
  model::Selector selector_of(const Value& value, std::string_view name) {
    const auto* list = value.get<source::List>();
    if (counts_as_empty(value) && empty_means_prunable(modifier_)) {
      return all_prunable(value.span);
    }
    const auto* map = value.get<source::Map>();
    const bool empty = (list != nullptr && list->empty()) || (map != nullptr && map->empty());
    if (empty && prunes() && !runs_without_names()) {
      sink_
          .report(diag::null_section, value.span, name,
                  fmt::format("is an empty {}, so this modifier prunes no parameters",
                              list != nullptr ? "list" : "mapping"))
          .with_severity(later(modifier_))
          .with_help(fmt::format("list the parameters, or write `{}`",
                                 modifier_.framework == Framework::pytorch ? "__ALL_PRUNABLE__" : "__ALL__"));
    }
    return read_selector(modifier_, value, name, sink_);
  }

  // The 2020 releases accept a constant mask without parameters, which has no effect.
  bool runs_without_names() const {
    return modifier_.framework == Framework::pytorch_2020 && modifier_.spec->kind == ClassKind::constant_pruning;
  }

  bool prunes() const {
    const auto kind = modifier_.spec->kind.as<ClassKind>();
    return kind == ClassKind::gradual_pruning || kind == ClassKind::acdc || kind == ClassKind::topkast ||
           kind == ClassKind::rigl || kind == ClassKind::constant_pruning;
  }

  static model::Selector all_prunable(source::Span span) {
    return {{{model::Term::Kind::all_prunable, "__ALL_PRUNABLE__", span}}, model::Selector::Over::parameters, true};
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

  bool flag(std::string_view name) const {
    const Field* field = modifier_.find(name);
    if (field == nullptr) {
      const FieldSpec* spec = modifier_.spec->find(name);
      return spec != nullptr && spec->default_value == "true";
    }
    const auto* text = field->value.get<std::string>();
    return text != nullptr ? !text->empty() : field->value.number().value_or(0) != 0;
  }

  bool is_trainable() const { return modifier_.find("trainable") == nullptr || counts_as_true(value("trainable")); }

  // The final PyTorch reader uses the raw value. The other readers convert it to a boolean.
  bool holds_after_end() const {
    const bool raw = modifier_.framework == Framework::pytorch || modifier_.find("leave_enabled") == nullptr;
    return raw ? flag("leave_enabled") : counts_as_true(value("leave_enabled"));
  }

  // In the 2020 releases a learning rate of null does not change the rate.
  ir::Effect set_learning_rate() const {
    return modifier_.gives("learning_rate") ? ir::Effect(ir::SetLearningRate{located("learning_rate"), groups()})
                                            : ir::Opaque{};
  }

  ir::Effect learning_rate_function() const {
    const std::string kind = modifier_.text("lr_func");
    using Kind = ir::LearningRateCurve::Kind;
    return ir::LearningRateCurve{kind == "linear"   ? Kind::linear
                                 : kind == "cosine" ? Kind::cosine
                                                    : Kind::cyclic_linear,
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
    out.kind = name == "MultiStepLR"                   ? Kind::multi_step
               : name == "CosineAnnealingWarmRestarts" ? Kind::cosine_warm_restarts
                                                       : Kind::step;
    out.initial_rate = given("init_lr");
    out.gamma = argument("gamma", 1);
    out.step_size = {name == "ExponentialLR" ? 1 : argument("step_size", 1), modifier_.place("lr_kwargs")};
    // PyTorch suppresses the TypeError of a minimum that is not a number, so the rate keeps its initial value.
    const Value* floor = kwargs.find("lr_min");
    const bool dead = out.kind == Kind::cosine_warm_restarts && floor != nullptr && !floor->number();
    if (dead) {
      out.kind = Kind::multi_step;
      return out;
    }
    out.min_rate = argument("lr_min", 0);
    out.cycle_epochs = argument("cycle_epochs", 1);
    out.cycle_growth = argument("T_mult", 1);
    const Value* milestones = kwargs.find("milestones");
    const auto add = [&](const Value& milestone) {
      out.milestones.push_back({milestone.number().value_or(0), milestone.span});
    };
    if (const auto* list = milestones == nullptr ? nullptr : milestones->get<source::List>()) {
      std::ranges::for_each(*list, add);
    } else if (const auto* map = milestones == nullptr ? nullptr : milestones->get<source::Map>()) {
      for (const auto& [milestone, value] : *map) add(milestone);
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
    const Field* mask = modifier_.find("mask_type");
    ir::Structure out;
    if (modifier_.spec->name == "StructuredPruningModifier") {
      out.kind = modifier_.text("mask_type") == "channel" ? ir::Structure::Kind::channel : ir::Structure::Kind::filter;
    } else if (mask != nullptr) {
      out = read_structure(modifier_, mask->value).value_or(ir::Structure{});
    }
    if (mask != nullptr) out.span = mask->value.span;
    return out;
  }

  // Only a size that is written is checked.
  std::optional<Located<std::int64_t>> fisher_block() const {
    const Value size = value("fisher_block_size");
    const auto* whole = size.get<std::int64_t>();
    return whole == nullptr ? std::nullopt : std::optional(Located<std::int64_t>{*whole, size.span});
  }

  bool is_global() const { return modifier_.spec->name == "GlobalMagnitudePruningModifier" || flag("global_sparsity"); }

  ir::Effect gradual() {
    if (value("final_sparsity").get<source::List>() != nullptr) {
      return opaque();
    }
    const std::string shape = modifier_.text("inter_func");
    ir::Ramp ramp{std::nullopt, shape == "linear"  ? ir::Shape::linear
                                : shape == "cubic" ? ir::Shape::cubic
                                                   : ir::Shape::inverse_cubic};
    if (modifier_.number("init_sparsity")) {
      ramp.from = located("init_sparsity");
    }
    return ir::Prune{ramp, targets(), structure(),   criterion(),   is_global(), holds_after_end(),
                     {},   {},        mask_groups(), fisher_block()};
  }

  // Returns the groups of parameters that share one mask.
  std::vector<ir::MaskGroup> mask_groups() {
    std::vector<ir::MaskGroup> out;
    const Value given = value("param_groups");
    const auto* lists = given.get<source::List>();
    for (std::size_t at = 0; lists != nullptr && at < lists->size(); ++at) {
      out.push_back({fmt::format("{}.{}", modifier_.ordinal, at), {}});
      const auto* names = (*lists)[at].get<source::List>();
      for (std::size_t name = 0; names != nullptr && name < names->size(); ++name) {
        const std::string text = source::python_str((*names)[name]);
        out.back().selector.terms.push_back({model::Term::Kind::exact, text, (*names)[name].span});
      }
    }
    return out;
  }

  // SparseML sorts the mapping by sparsity, in ascending order.
  std::vector<ir::Target> targets() {
    const Field* final_sparsity = modifier_.find("final_sparsity");
    const auto* map = final_sparsity == nullptr ? nullptr : final_sparsity->value.get<source::Map>();
    std::vector<ir::Target> out;
    if (map == nullptr) {
      out.push_back({located("final_sparsity"), selector("params")});
      return out;
    }
    for (const auto& [sparsity, selectors] : *map) {
      out.push_back({{sparsity.number().value_or(0), sparsity.span},
                     read_selector(modifier_, selectors, "final_sparsity", sink_)});
    }
    std::ranges::stable_sort(out, {}, [](const ir::Target& target) { return target.sparsity.value; });
    return out;
  }

  ir::Effect sparse_training(ir::SparsityCurve curve, std::string_view sparsity, std::string criterion) {
    return ir::Prune{std::move(curve),
                     {{located(sparsity), selector("params")}},
                     structure(),
                     std::move(criterion),
                     modifier_.spec->kind != ClassKind::rigl && flag("global_sparsity"),
                     flag("leave_enabled")};
  }

  ir::Effect distill() const {
    return ir::Distill{modifier_.spec->name == "PerLayerDistillationModifier", given("hardness"), given("temperature")};
  }

  const Modifier& modifier_;
  diag::Sink& sink_;
};

ir::Cadence cadence_of(const Modifier& modifier) {
  std::optional<Located<double>> every;
  if (const FieldSpec* frequency = modifier.spec->find("update_frequency")) {
    const bool ignored = !frequency->no_effect.empty();
    every = {ignored ? -1 : modifier.number("update_frequency").value_or(-1), modifier.place("update_frequency")};
  }
  const double end = modifier.end() < 0 ? ir::Cadence::kEndless : modifier.end();
  return {{modifier.start(), modifier.place("start_epoch")},
          {end, modifier.place("end_epoch")},
          is_tensorflow(modifier.framework) ? ir::Rhythm(ir::WholeSteps{every}) : ir::SinceLastUpdate{every}};
}

static ir::Origin origin_of(Modifier modifier) {
  ir::Origin origin{std::string(modifier.spec->name), modifier.ordinal, std::move(modifier.stage),
                    std::move(modifier.group),        modifier.key,     {}};
  origin.fields.reserve(modifier.fields.size());
  for (Field& field : modifier.fields) {
    origin.fields.push_back(
        {field.name, field.key, std::move(field.value), field.evaluated, std::move(field.variable), field.definition});
  }
  return origin;
}

ir::Action lower(Modifier modifier, diag::Sink& sink) {
  Lowering lowering(modifier, sink);
  const std::size_t errors = sink.count(diag::Severity::error);
  ir::Effect effect = modifier.valid ? lowering.effect() : lowering.opaque();
  // Layers and optional names that are not found are skipped without an error.
  const bool layers = modifier.spec->find("layers") != nullptr && modifier.spec->kind == ClassKind::other;
  const bool harmless = layers || (modifier.spec->kind == ClassKind::trainable && !is_strict(modifier));
  const bool valid = modifier.valid && (harmless || sink.count(diag::Severity::error) == errors);
  const ir::Cadence cadence = modifier.valid ? cadence_of(modifier) : ir::Cadence{};
  return {std::move(effect), cadence, origin_of(std::move(modifier)), valid};
}

}  // namespace sparsecfg::dialect::sparseml
