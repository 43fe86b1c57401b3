#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/overloaded.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/write.h"
#include "regex/literal.h"

// Translates training actions to one-shot modifiers.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

constexpr std::string_view kSystem = "llm-compressor";

// --- schemes of older SparseML quantization -----------------------------------------------------------------------

// Returns the default arguments: asymmetric inputs and symmetric weights. For TensorRT both are symmetric.
static Value usual_arguments(bool weights, bool tensorrt) {
  const bool symmetric = weights || tensorrt;
  return {source::Map{{text_value("num_bits"), {std::int64_t{8}, {}}},
                      {text_value("type"), text_value("int")},
                      {text_value("symmetric"), {symmetric, {}}},
                      {text_value("strategy"), text_value("tensor")}},
          {}};
}

static bool is_for_tensorrt(const Value& scheme) {
  const auto* word = scheme.get<std::string>();
  const Value* hardware = scheme.find("target_hardware");
  return (word != nullptr && *word == "tensorrt") ||
         (hardware != nullptr && hardware->data == Value::Data(std::string("tensorrt")));
}

// Converts arguments of the older quantization. Drops fields without a counterpart.
static Value arguments_of(const Value& given, bool weights) {
  static constexpr std::string_view kKept[] = {"num_bits", "symmetric", "strategy"};
  const bool symmetric = weights;
  source::Map out;
  for (const std::string_view name : kKept) {
    const Value* value = given.find(name);
    if (value != nullptr && !value->is_null()) out.emplace_back(text_value(name), *value);
  }
  if (given.find("num_bits") == nullptr) out.insert(out.begin(), {text_value("num_bits"), Value{std::int64_t{8}, {}}});
  if (given.find("symmetric") == nullptr) out.emplace_back(text_value("symmetric"), Value{symmetric, {}});
  return written_out({std::move(out), {}});
}

// Adds the arguments of one part. An absent part has the default arguments; a null part is empty.
static void add_part(source::Map& group, const Value& scheme, std::string_view name, bool usual) {
  const bool weights = name == "weights";
  const Value* given = scheme.find(name);
  if (given != nullptr && given->get<source::Map>() != nullptr) {
    group.emplace_back(text_value(name), arguments_of(*given, weights));
  } else if (given == nullptr && usual) {
    group.emplace_back(text_value(name), usual_arguments(weights, is_for_tensorrt(scheme)));
  }
}

static Value group_of(const Value& scheme, const std::vector<std::string>& targets) {
  source::Map group{{text_value("targets"), list_value(targets)}};
  add_part(group, scheme, "weights", true);
  add_part(group, scheme, "input_activations", true);
  add_part(group, scheme, "output_activations", false);
  return {std::move(group), {}};
}

static bool is_class(const std::string& name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' && name.find('.') == std::string::npos;
}

bool is_never_quantized(const std::string& name) {
  const model::Module module{{}, name};
  return is_class(name) && !takes_scheme(module) && !is_attention(module);
}

// Returns the class name, or a pattern for all layers within a module.
static std::string target_of(const std::string& name) {
  if (is_class(name) || name.starts_with("re:")) {
    return name;
  }
  return fmt::format("re:^{}(\\.|$)", regex::literal(name));
}

Value groups_of_schemes(const Value& scheme, const Value& overrides) {
  source::Map out;
  const auto add = [&](const Value& each, const std::vector<std::string>& targets) {
    out.emplace_back(text_value(fmt::format("group_{}", out.size())), group_of(each, targets));
  };
  const auto* map = overrides.get<source::Map>();
  const bool general = map == nullptr || overrides.find("Linear") == nullptr;
  if (general) add(scheme, {"Linear"});
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const std::string name = source::python_str((*map)[at].first);
    if (!is_never_quantized(name)) add((*map)[at].second, {target_of(name)});
  }
  return {std::move(out), {}};
}

// --- effects ------------------------------------------------------------------------------------------------------

namespace {

class EffectTranslator {
 public:
  EffectTranslator(const ir::Action& action, ActionStatus& status, diag::Sink& sink)
      : action_(action), status_(status), sink_(sink) {}

  std::vector<Draft> run() {
    std::visit(base::Overloaded{
                   [&](const ir::Prune& prune) { translate(prune); },
                   [&](const ir::Quantize& quantize) { translate(quantize); },
                   [&](const ir::HoldMask&) {
                     elsewhere("keep the zeros in your training script if you train the model afterwards");
                   },
                   [&](const ir::Distill&) { elsewhere("set up distillation in your training script"); },
                   [&](const ir::ThresholdPrune&) { no("it prunes to a sparsity, not by thresholds"); },
                   [&](const ir::Regularize&) { no("one-shot compression has no training loss to add a penalty to"); },
                   [&](const ir::Opaque&) { no("it has no such class"); },
                   [&](const auto&) { elsewhere(training_setting()); },
               },
               action_.effect);
    return std::move(drafts_);
  }

 private:
  void no(std::string_view reason) { drop(status_, action_, kSystem, std::string(reason), sink_); }

  // Returns the instruction for an action that the training script must perform.
  std::string training_setting() const {
    if (ir::moves_learning_rate(action_.effect)) return "set the learning rate in your training script";
    if (std::holds_alternative<ir::SetWeightDecay>(action_.effect)) {
      return "set the weight decay in your training script";
    }
    if (std::holds_alternative<ir::EpochRange>(action_.effect))
      return "set the number of epochs in your training script";
    return "do this in your training script";
  }

  void elsewhere(std::string_view what) { mark_not_converted(status_, action_, kSystem, std::string(what), sink_); }

  void translate(const ir::Prune& prune) {
    using Kind = ir::Structure::Kind;
    const Kind kind = prune.structure.kind;
    if (prune.global) {
      no("it sets a sparsity per layer and can't rank the weights of several layers together");
    } else if (kind != Kind::unstructured && kind != Kind::n_of_m) {
      no(fmt::format("it can't remove whole structures ({}) in one shot", ir::to_string(kind)));
    } else if (std::ranges::any_of(prune.targets, [](const ir::Target& target) {
                 return !(target.sparsity.value >= 0 && target.sparsity.value < 1);
               })) {
      no("a sparsity of 1 or more removes all weights");
    } else {
      std::vector<std::string> losses;
      for (const ir::Target& target : prune.targets) add(prune, target, losses);
      if (drafts_.empty()) {
        no("one-shot pruners only prune the weights of layers: " + fmt::format("{}", fmt::join(losses, ", ")));
        return;
      }
      approximate(status_, action_, "gradual pruning becomes one pass of SparseGPT at the final sparsity", sink_);
      for (const std::string& loss : losses) approximate(status_, action_, loss, sink_);
    }
  }

  void add(const ir::Prune& prune, const ir::Target& target, std::vector<std::string>& losses) {
    OneShotLayers layers = one_shot_layers(target.selector);
    std::ranges::move(layers.losses, std::back_inserter(losses));
    if (layers.targets.empty()) {
      return;
    }
    Draft draft{"SparseGPTModifier", "compress_stage", "pruning_modifiers"};
    draft.set("sparsity", {target.sparsity.value, {}});
    if (prune.structure.kind == ir::Structure::Kind::n_of_m) {
      const std::int64_t kept = prune.structure.n;
      draft.set("mask_structure", text_value(fmt::format("{}:{}", prune.structure.m - kept, prune.structure.m)));
    }
    draft.set("targets", list_value(layers.targets));
    if (!layers.ignored.empty()) draft.set("ignore", list_value(layers.ignored));
    drafts_.push_back(std::move(draft));
  }

  void translate(const ir::Quantize& quantize) {
    const bool by_selectors = !quantize.layers.empty() && quantize.overrides.is_null();
    if (action_.origin.find("overrides") != nullptr || by_selectors) {
      no("its layers are quantized by other functions");
      return;
    }
    Draft draft{"QuantizationModifier", "compress_stage", "quantization_modifiers"};
    draft.set("ignore", ignored(quantize));
    draft.set("config_groups",
              quantize.by_scheme ? groups_of_schemes(quantize.scheme, quantize.overrides) : older_groups());
    drafts_.push_back(std::move(draft));
    approximate(status_, action_, "quantization-aware training becomes quantization after training", sink_);
  }

  Value ignored(const ir::Quantize& quantize) const {
    const ir::OriginField* types = action_.origin.find("exclude_module_types");
    const Value& list = types == nullptr ? quantize.ignored : types->value;
    return list.get<source::List>() == nullptr ? Value{source::List{}, {}} : list;
  }

  // Returns the submodules by name, or the whole model.
  Value older_groups() const {
    const ir::OriginField* modules = action_.origin.find("submodules");
    std::vector<std::string> targets;
    const auto* list = modules == nullptr ? nullptr : modules->value.get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      targets.push_back(target_of(source::python_str((*list)[at])));
    }
    if (targets.empty()) targets.emplace_back("Linear");
    return {source::Map{{text_value("group_0"), group_of({}, targets)}}, {}};
  }

  const ir::Action& action_;
  ActionStatus& status_;
  diag::Sink& sink_;
  std::vector<Draft> drafts_;
};

}  // namespace

std::vector<Draft> drafts_by_effect(const ir::Action& action, ActionStatus& status, diag::Sink& sink) {
  return EffectTranslator(action, status, sink).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
