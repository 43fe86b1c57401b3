#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/modelopt/read.h"
#include "ir/operation.h"

// The operations of a list of entries. A rule is an entry; the language of ModelOpt decides by quantizers.
namespace sparsecfg::dialect::modelopt {

namespace {

// Entries with a class are written "PATTERN in CLASS". No name of a quantizer contains a space.
constexpr std::string_view kIn = " in ";
constexpr std::string_view kSequence = "sequence";  // marks the schemes of quantizers in sequence

std::string text_of(const Entry& entry) {
  return entry.parent.empty() ? entry.pattern : fmt::format("{}{}{}", entry.pattern, kIn, entry.parent);
}

bool is_of(std::string_view pattern, std::string_view quantizer) {
  return pattern.ends_with(quantizer) || pattern.ends_with(std::string(quantizer) + "*") ||
         pattern.ends_with(std::string(quantizer) + "s*");
}

// Returns the formats that an entry gives to the tensors that its pattern can match.
ir::Scheme scheme_of(const Entry& entry) {
  static constexpr std::string_view kQuantizers[] = {"weight_quantizer", "input_quantizer", "output_quantizer",
                                                     "bmm_quantizer"};
  const bool any = std::ranges::none_of(kQuantizers, [&](std::string_view each) { return is_of(entry.pattern, each); });
  ir::Scheme out;
  for (const Attributes& attributes : *entry.cfg) {
    const ir::TensorFormat activation = format_of(attributes, false);
    if (any || is_of(entry.pattern, kQuantizers[0])) out.weights.push_back(format_of(attributes, true));
    if (any || is_of(entry.pattern, kQuantizers[1])) out.inputs.push_back(activation);
    if (any || is_of(entry.pattern, kQuantizers[2])) out.outputs.push_back(activation);
  }
  if (entry.sequence) out.storage = kSequence;
  return out;
}

// Applies the rules of a selection to the quantizers of modules, and collects the decision of each module.
class Decider {
 public:
  Decider(const ir::Selection& selection, std::span<const ir::Scheme> schemes, std::span<const model::Module> modules,
          bool embeddings = true)
      : selection_(selection),
        schemes_(schemes),
        modules_(modules),
        quantized_(insert_quantizers(modules, embeddings)) {
    out_.of_modules.resize(modules.size());
  }

  ir::Decisions run(bool cache) {
    std::vector<Pick> picks;
    for (const ir::Rule& rule : selection_.rules) picks.push_back(pick_of(rule));
    out_.complete = apply_entries(picks, quantized_);
    for (const QuantizedModule& module : quantized_) {
      if (!out_.complete) break;
      const auto decision = cache ? cached(module) : assigned(module);
      if (decision) out_.of_modules[module.index] = number_of(*decision);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Pick pick_of(const ir::Rule& rule) const {
    Pick out;
    const std::string_view entry = rule.entry;
    const std::size_t split = entry.rfind(kIn);
    out.pattern = entry.substr(0, split);
    if (split != std::string_view::npos) out.parent = entry.substr(split + kIn.size());
    const ir::Scheme* scheme = rule.scheme < schemes_.size() ? &schemes_[rule.scheme] : nullptr;
    if (scheme != nullptr && !scheme->is_empty()) {
      out.steps = std::max({scheme->weights.size(), scheme->inputs.size(), scheme->outputs.size()});
      out.sequence = scheme->storage == kSequence;
    }
    out.enable = rule.kind != ir::Rule::Kind::excludes;
    return out;
  }

  std::optional<ir::Decisions::Decision> assigned(const QuantizedModule& module) {
    ir::Scheme scheme;
    for (const Quantizer& quantizer : module.quantizers) {
      auto* formats = part_of(scheme, quantizer.tensor);
      if (formats != nullptr && formats->empty()) *formats = formats_of(module, quantizer);
    }
    const bool inner = module.find(Tensor::keys) != nullptr;
    if (inner) return std::nullopt;
    ir::Decisions::Decision decision = decision_of(module);
    decision.kind = scheme.is_empty() ? ir::Rule::Kind::excludes : ir::Rule::Kind::assigns;
    decision.scheme = number_of(scheme);
    return decision;
  }

  std::optional<ir::Decisions::Decision> cached(const QuantizedModule& module) const {
    const Quantizer* keys = module.find(Tensor::keys);
    const Quantizer* values = module.find(Tensor::values);
    const bool on = keys != nullptr && values != nullptr && (keys->is_on() || values->is_on());
    if (!on) return std::nullopt;
    ir::Decisions::Decision decision = decision_of(module);
    decision.kind = ir::Rule::Kind::assigns;
    return decision;
  }

  // The last entry that matches the first quantizer that is on decides, or, if all are off, that of the first.
  [[nodiscard]] ir::Decisions::Decision decision_of(const QuantizedModule& module) const {
    ir::Decisions::Decision out;
    const auto on = std::ranges::find_if(module.quantizers, &Quantizer::is_on);
    const Quantizer& quantizer = on == module.quantizers.end() ? module.quantizers.front() : *on;
    out.reason = quantizer.matched.empty() ? ir::Decisions::Reason::by_default : ir::Decisions::Reason::rule;
    if (!quantizer.matched.empty()) {
      out.rule = quantizer.matched.back();
      out.overridden.assign(quantizer.matched.begin(), quantizer.matched.end() - 1);
    }
    out.unknown = std::ranges::any_of(module.quantizers, [&](const Quantizer& each) {
      return std::ranges::any_of(each.matched, [&](std::uint32_t at) { return selection_.rules[at].unknown; });
    });
    return out;
  }

  static std::vector<ir::TensorFormat>* part_of(ir::Scheme& scheme, Tensor tensor) {
    switch (tensor) {
      case Tensor::weights: return &scheme.weights;
      case Tensor::inputs: return &scheme.inputs;
      case Tensor::outputs: return &scheme.outputs;
      case Tensor::queries:
      case Tensor::keys:
      case Tensor::values:
      case Tensor::probabilities: break;
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<ir::TensorFormat> formats_of(const QuantizedModule& module,
                                                         const Quantizer& quantizer) const {
    std::vector<ir::TensorFormat> out;
    for (const Step& step : quantizer.steps) {
      if (step.on && !step.nested) out.push_back(format_at(module, quantizer, step));
    }
    return out;
  }

  [[nodiscard]] ir::TensorFormat format_at(const QuantizedModule& module, const Quantizer& quantizer,
                                           const Step& step) const {
    const bool weights = quantizer.tensor == Tensor::weights;
    if (step.entry == Step::kInsertion) return format_of(insertion_of(module, quantizer), weights);
    ir::Scheme scheme = schemes_[selection_.rules[step.entry].scheme];
    const std::vector<ir::TensorFormat>& formats = *part_of(scheme, quantizer.tensor);
    return step.part < formats.size() ? formats[step.part] : ir::TensorFormat();
  }

  std::uint32_t number_of(const ir::Scheme& scheme) {
    const auto found = std::ranges::find(out_.schemes, scheme);
    if (found == out_.schemes.end()) out_.schemes.push_back(scheme);
    return static_cast<std::uint32_t>(std::ranges::find(out_.schemes, scheme) - out_.schemes.begin());
  }

  std::uint32_t number_of(const ir::Decisions::Decision& decision) {
    const auto found = std::ranges::find(out_.entries, decision);
    if (found == out_.entries.end()) out_.entries.push_back(decision);
    return static_cast<std::uint32_t>(std::ranges::find(out_.entries, decision) - out_.entries.begin());
  }

  const ir::Selection& selection_;
  std::span<const ir::Scheme> schemes_;
  std::span<const model::Module> modules_;
  std::vector<QuantizedModule> quantized_;
  ir::Decisions out_;
};

ir::Decisions decide(const ir::Selection& selection, std::span<const ir::Scheme> schemes,
                     std::span<const model::Module> modules) {
  return Decider(selection, schemes, modules).run(false);
}

ir::Decisions decide_without_embeddings(const ir::Selection& selection, std::span<const ir::Scheme> schemes,
                                        std::span<const model::Module> modules) {
  return Decider(selection, schemes, modules, false).run(false);
}

ir::Decisions decide_cache(const ir::Selection& selection, std::span<const ir::Scheme> schemes,
                           std::span<const model::Module> modules) {
  return Decider(selection, schemes, modules).run(true);
}

// Modules that tell entries apart, for comparisons without a model.
std::vector<model::Module> examples(const ir::Selection& /*selection*/) {
  std::vector<model::Module> out;
  for (const std::string_view layer : {"model.layers.0.", "model.layers.1.", "model.layers.10."}) {
    const std::string prefix(layer);
    out.push_back({prefix + "self_attn", "LlamaAttention", {}});
    for (const std::string_view name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                                        "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "mlp.gate",
                                        "mlp.shared_experts.up_proj", "block_sparse_moe.gate", "mixer.in_proj"}) {
      out.push_back({prefix + std::string(name), "Linear", {}});
    }
    out.push_back({prefix + "mlp.experts", "MixtralExperts", {}});
  }
  out.push_back({"model.embed_tokens", "Embedding", {}});
  out.push_back({"lm_head", "Linear", {}});
  out.push_back({"model.visual.blocks.0.attn.qkv", "Linear", {}});
  out.push_back({"model.vision_tower.encoder.layers.0.self_attn.q_proj", "Linear", {}});
  return with_projections(out);
}

constexpr ir::Language kLanguage{.name = "ModelOpt", .decide = decide, .examples = examples};
// Releases before 0.45 (docs/semantics/modelopt.md#c2-2).
constexpr ir::Language kOlderLanguage{.name = "ModelOpt", .decide = decide_without_embeddings, .examples = examples};
constexpr ir::Language kCacheLanguage{.name = "ModelOpt cache", .decide = decide_cache, .examples = examples};

class Lowering {
 public:
  Lowering(const Config& config, const std::optional<Applied>& applied) : config_(config), applied_(applied) {}

  ir::Action run() {
    ir::Assign assign;
    assign.selection.language = config_.embeddings ? &kLanguage : &kOlderLanguage;
    assign.schemes.emplace_back();  // of entries that keep the attributes
    for (const Entry& entry : config_.entries) add_rule(entry, assign);
    if (config_.open) add_unknown_rule(assign);
    assign.method = method();
    add_inner_quantizers(assign.method);
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin.class_name = "quantize";
    action.origin.span = config_.place;
    if (auto cache = cache_of(assign)) action.operations.emplace_back(std::move(*cache));
    action.operations.insert(action.operations.begin(), std::move(assign));
    return action;
  }

 private:
  static void add_rule(const Entry& entry, ir::Assign& assign) {
    ir::Rule rule;
    rule.entry = text_of(entry);
    rule.span = entry.span;
    rule.kind = entry.enable ? ir::Rule::Kind::assigns : ir::Rule::Kind::excludes;
    rule.unknown = entry.unknown;
    if (entry.cfg) {
      ir::Scheme scheme = scheme_of(entry);
      const auto known = std::ranges::find(assign.schemes, scheme);
      rule.scheme = static_cast<std::uint32_t>(known - assign.schemes.begin());
      if (known == assign.schemes.end()) assign.schemes.push_back(std::move(scheme));
    }
    assign.selection.rules.push_back(std::move(rule));
  }

  // Entries that are not known can change every quantizer.
  static void add_unknown_rule(ir::Assign& assign) {
    ir::Rule rule;
    rule.entry = "*";
    rule.kind = ir::Rule::Kind::assigns;
    rule.unknown = true;
    assign.selection.rules.push_back(std::move(rule));
  }

  [[nodiscard]] ir::Method method() const {
    ir::Method out;
    const source::Value& algorithm = config_.algorithm;
    if (const auto* name = algorithm.get<std::string>()) out.name = *name;
    if (const source::Value* name = algorithm.find("method")) out.name = source::python_str(*name);
    if (const auto* map = algorithm.get<source::Map>()) {
      for (const source::Entry& entry : *map) {
        const std::string key = source::python_str(entry.first);
        if (key != "method") out.settings.push_back({key, source::python_str(entry.second)});
      }
      std::ranges::sort(out.settings, {}, &ir::MethodSetting::name);
    } else if (algorithm.get<source::List>() != nullptr) {
      out.name = source::python_str(algorithm);
    }
    return out;
  }

  // Quantizers of attention that are not those of the cache have no scheme.
  void add_inner_quantizers(ir::Method& method) const {
    for (const auto& [tensor, name] : {std::pair(Tensor::probabilities, std::string_view("p_bmm_quantizer")),
                                       std::pair(Tensor::queries, std::string_view("q_bmm_quantizer"))}) {
      const bool on = std::ranges::any_of(attention(), [&](const QuantizedModule& module) {
        const Quantizer* quantizer = module.find(tensor);
        return quantizer != nullptr && quantizer->is_on();
      });
      if (on) method.settings.push_back({std::string(name), "on"});
    }
    std::ranges::sort(method.settings, {}, &ir::MethodSetting::name);
  }

  // Returns the quantizers of the cache that is quantized first: that of the model, or of a usual layer.
  [[nodiscard]] std::vector<QuantizedModule> attention() const {
    if (applied_) return applied_->quantized;
    const std::vector<model::Module> usual{{"model.layers.0.self_attn", "LlamaAttention", {}}};
    std::vector<QuantizedModule> out = insert_quantizers(usual);
    return apply_entries(picks_of(config_.entries), out) ? out : std::vector<QuantizedModule>();
  }

  [[nodiscard]] std::optional<ir::CacheScheme> cache_of(const ir::Assign& assign) const {
    for (const QuantizedModule& module : attention()) {
      const Quantizer* keys = module.find(Tensor::keys);
      const Quantizer* values = module.find(Tensor::values);
      if (keys == nullptr || values == nullptr || (!keys->is_on() && !values->is_on())) continue;
      ir::CacheScheme out;
      out.selection.language = &kCacheLanguage;
      out.selection.rules = assign.selection.rules;
      const auto format = [&](const Quantizer& each) {
        return each.is_on()
                   ? std::optional(format_of(attributes_of(module, each, each.steps.front(), config_.entries), false))
                   : std::nullopt;
      };
      out.keys = format(*keys);
      out.values = format(*values);
      out.method = assign.method;
      return out;
    }
    return std::nullopt;
  }

  const Config& config_;
  const std::optional<Applied>& applied_;
};

}  // namespace

ir::Action lower(const Config& config, const std::optional<Applied>& applied) {
  return Lowering(config, applied).run();
}

std::optional<Applied> apply_to_model(const Context& context, const Config& config) {
  if (context.options.modules == nullptr) return std::nullopt;
  Applied out;
  out.modules = with_projections(*context.options.modules);
  out.quantized = insert_quantizers(out.modules, config.embeddings);
  return apply_entries(picks_of(config.entries), out.quantized) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace sparsecfg::dialect::modelopt
