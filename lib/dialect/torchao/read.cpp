#include "dialect/torchao/read.h"
#include "dialect/class_of_numbers.h"
#include "dialect/runtime_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/selection.h"
#include "dialect/quantizers/unmatched.h"
#include "dialect/torchao/call.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/exported.h"
#include "dialect/torchao/languages.h"
#include "dialect/torchao/model_state.h"
#include "dialect/torchao/program.h"
#include "dialect/torchao/result.h"
#include "dialect/torchao/targets.h"
#include "dialect/torchao/types.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "emit/literal.h"
#include "model/pattern_text.h"
#include "regex/pattern.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

DIAGNOSTIC(TA205, torchao_quant_type, error, (Text), "`quant_type` must have the only key `default`, but this is {}",
           "transformers reads one configuration under `default`. Names of types as strings, with "
           "`quant_type_kwargs`, were removed in version 5.",
           "write `\"quant_type\": {{\"default\": {{\"_type\": ..., \"_version\": 2, \"_data\": {{...}}}}}}`")

DIAGNOSTIC(
    TA206, torchao_string_list, silent_warning, (Text), "the string `{}` is read letter by letter",
    "A list is expected. Each letter of the string is an entry, and `t` matches the end of every `weight`, so no "
    "layer is quantized.",
    "write a list: `[{0}]`")

DIAGNOSTIC(TA207, torchao_list_quantizes_head, warning, (), "this list does not contain `lm_head`, so it is quantized",
           "Without a list, transformers skips the output layer. Any list replaces this default.",
           "add `lm_head` to the list")

DIAGNOSTIC(TA301, torchao_vllm_ignores_key, silent_warning, (Text), "vLLM never looks up `{}`",
           "vLLM looks up modules, not parameters, and joined layers only by their own names, such as `qkv_proj`.",
           "write the name of the joined layer as well, or a pattern for both")

DIAGNOSTIC(
    TA302, torchao_vllm_joined_layer, silent_warning, (Text, Text), "vLLM looks up `{}`, which `{}` does not match",
    "vLLM joins layers such as `q_proj`, `k_proj` and `v_proj`, and compares keys with the name of the joined layer. "
    "A key that matches only the parts leaves the joined layer unquantized, although its weights are stored "
    "quantized.",
    "write a pattern that also matches the joined layer")

DIAGNOSTIC(
    TA214, float8_without_units, error, (Text, Text, Text), "`{0}` does not run on {1}, which has capability {2}",
    "Float8 activations are multiplied by units that GPUs have since compute capability 8.9. On an older GPU, "
    "torchao stops with an AssertionError, and vLLM has no other kernel for these tensors.",
    "write `Int8DynamicActivationInt8WeightConfig()`, or use a GPU of capability 8.9 or newer, such as `--gpu l4`")

namespace {

// A configuration in one of its forms, read by one program.
class Reading {
 public:
  Reading(const Context& context, const ReadOptions& options) : context_(context), options_(options) {
    recipe_.dialect = "torchao";
    recipe_.trains = false;
    recipe_.has_rates = false;
  }

  ir::Recipe run(const Value& root) {
    const quantizers::Configuration settings = quantizers::configuration_of(root, callables());
    const Program program = program_of(root);
    context_.type = program.type;
    if (settings.call == kQuantize.name) {
      read_quantize(settings, program, root.span);
      return std::move(recipe_);
    }
    const Value* section = root.given("quantization_config");
    const Value& config = !settings.call.empty() ? settings.value : section == nullptr ? root : *section;
    add_action(kTorchAoConfig.name, settings.call.empty() ? config.span : settings.name, config);
    recipe_.is_result = settings.call.empty();
    read_transformers(config, !settings.call.empty());
    return std::move(recipe_);
  }

 private:
  void add_action(std::string_view name, source::Span span, const Value& value) {
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin = quantizers::origin_of(name, span, value);
    action.valid = false;
    recipe_.actions.push_back(std::move(action));
  }

  [[nodiscard]] ir::Action& action() { return recipe_.actions.back(); }

  [[nodiscard]] bool is_vllm() const { return quantizers::runtime_of(options_) == quantizers::Runtime::vllm; }

  void use_units() {
    if (options_.modules != nullptr) recipe_.units = units_of(*options_.modules, options_.parameters);
  }

  // Reads a call, after the earlier calls with the same model.
  void read_quantize(const quantizers::Configuration& settings, const Program& program, source::Span whole) {
    use_units();
    const std::vector<model::Module>& units = recipe_.units.items();
    ModelState state(context_, program, units, whole);
    for (const ir::Assign& operation : state.operations()) {
      add_action(settings.call, settings.name, {source::Map{}, settings.value.span});
      action().operations.push_back(operation);
      action().valid = true;
    }
    add_action(settings.call, settings.name, settings.value);
    CallReading call = read_call(context_, program, units, state.prepared(), settings.value, settings.name);
    auto operation = state.apply(call, settings.name);
    if (!program.use.span.empty()) report_use(context_, program, settings.value, whole);
    action().valid = call.valid;
    recipe_.evaluated = call.evaluated;
    recipe_.evaluated.insert(state.evaluated().begin(), state.evaluated().end());
    if (call.valid && operation) action().operations.push_back(std::move(*operation));
  }

  // --- transformers -------------------------------------------------------------------------------------

  // Returns the configuration under `default`, or null after a report.
  const Value* default_of(const Value& config, bool call) {
    const Value* type = config.find("quant_type");
    if (type != nullptr && call && type->get<source::Map>() != nullptr && type->find("default") == nullptr) return type;
    const auto* map = type == nullptr ? nullptr : type->get<source::Map>();
    const Value* out = map != nullptr && map->size() == 1 ? type->find("default") : nullptr;
    const bool unknown = type != nullptr && context_.is_unknown(*type);
    if (out != nullptr || (call && unknown)) return out == nullptr ? type : out;
    const source::Span place = type == nullptr ? config.span : type->span;
    auto& report = context_.sink.report(diag::torchao_quant_type, place,
                                        type == nullptr ? std::string("absent") : source::describe(*type));
    if (call) {
      advise_on_type(report, type, config);
    } else {
      advise_on_stored(report, type, config);
    }
    return nullptr;
  }

  // Advises to quantize the original model again: the stored weights have the layout of the removed form.
  void advise_on_stored(diag::Diagnostic& report, const Value* type, const Value& config) const {
    const auto* name = type == nullptr ? nullptr : type->get<std::string>();
    const std::string_view form = name == nullptr ? std::string_view() : current_form(*name);
    if (form.empty()) return;
    const Value* arguments = config.given("quant_type_kwargs");
    const Construction built = construction_of(form, arguments == nullptr ? Value{} : *arguments, context_.file);
    report.with_caret("transformers 5 no longer reads names of types")
        .with_help(fmt::format(
            "quantize the original model again with `quantization_config=TorchAoConfig({})`, which writes the key "
            "`default` with the class `{}`, or load these weights with `transformers<5`",
            built.text, built.name));
  }

  // Advises to construct a configuration. The arguments of the call that its class has become its arguments.
  void advise_on_type(diag::Diagnostic& report, const Value* type, const Value& call) const {
    const auto* name = type == nullptr ? nullptr : type->get<std::string>();
    std::string_view form = name == nullptr ? std::string_view() : current_form(*name);
    if (form.empty()) form = "Int4WeightOnlyConfig(group_size=128)";
    const Construction built = construction_of(form, call, context_.file);
    const std::string beside =
        built.arguments.empty() ? "" : fmt::format(" without {} beside it", base::join_and(built.arguments));
    const quantizers::ScriptCode code = code_for(context_.file, fmt::format("quant_type={}", built.text));
    report.with_help(fmt::format("write `{}`{}{}", code.text, beside, code.imports));
  }

  void read_transformers(const Value& config, bool call) {
    const Value* inner = default_of(config, call);
    const auto read = inner == nullptr ? std::nullopt : read_configuration(context_, *inner);
    if (!read || !check_patterns(context_, *read)) return;
    if (call && read->all && !check_parameter_type(context_, *read->all)) return;
    const Value* skip = config.find("modules_to_not_convert");
    if (skip != nullptr && skip->is_null()) skip = nullptr;
    action().valid = true;
    if (is_vllm()) {
      read_by_vllm(*read, skip, *inner);
    } else {
      read_by_transformers(*read, skip, config);
    }
  }

  // Returns the texts of a list; of a string, its letters.
  static std::vector<std::pair<std::string, source::Span>> texts_of(const Value* list) {
    std::vector<std::pair<std::string, source::Span>> out;
    if (list == nullptr) return out;
    if (const auto* text = list->get<std::string>()) {
      for (const char letter : *text) out.emplace_back(std::string(1, letter), source::Span());
    }
    const auto* items = list->get<source::List>();
    for (std::size_t at = 0; items != nullptr && at < items->size(); ++at)
      out.emplace_back(source::python_str((*items)[at]), (*items)[at].span);
    return out;
  }

  static ir::Assign skipping(const ir::Language& language,
                             const std::vector<std::pair<std::string, source::Span>>& texts) {
    ir::Assign out;
    out.selection.language = &language;
    for (const auto& [text, span] : texts) out.selection.rules.push_back({text, span, ir::Rule::Kind::excludes, 0});
    return out;
  }

  void read_by_transformers(const Configuration& config, const Value* skip, const Value& whole) {
    const Value* both = whole.find("include_input_output_embeddings");
    const bool embeddings = both != nullptr && both->number().value_or(0) != 0;
    use_units();
    auto texts = texts_of(skip);
    if (embeddings)
      std::erase_if(texts,
                    [](const auto& each) { return each.first == "lm_head" || each.first == "model.embed_tokens"; });
    if (!check_skips(texts)) return;
    ir::Assign assign = lowered(config, kLinearLayers, embeddings ? kTransformersMapWithEmbeddings : kTransformersMap);
    std::optional<ir::Assign> kept;
    if (skip != nullptr) {
      kept = skipping(kTransformersSkip, texts);
      if (!embeddings) check_list(*skip, texts);
    } else if (!embeddings) {
      kept = skipping(kTransformersDefaultSkip, {});
    }
    if (options_.modules != nullptr && !config.unknown) check_groups(config, assign, kept);
    action().operations.emplace_back(std::move(assign));
    if (kept) action().operations.emplace_back(std::move(*kept));
  }

  // Checks the shapes of the layers. `kept`: those that stay unquantized anyway.
  void check_groups(const Configuration& config, const ir::Assign& assign, const std::optional<ir::Assign>& kept) {
    const std::vector<model::Module>& units = recipe_.units.items();
    const auto decide = [&](const ir::Assign& each) {
      return each.selection.language->decide(each.selection, each.schemes, units);
    };
    const ir::Decisions decisions = decide(assign);
    const ir::Decisions others = kept ? decide(*kept) : ir::Decisions();
    TargetCheck targets(context_, config, units, nullptr, true);
    for (std::size_t at = 0; at < units.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool is_kept = kept && others.of_modules[at] != 0;
      const bool assigned = decision.kind == ir::Rule::Kind::assigns;
      if (!is_kept && (assigned || is_unfit(config, decision, units[at]))) targets.check_shape(decision, units[at]);
    }
    if (!targets.finish()) action().valid = false;
  }

  // Each entry of the list is also compiled as a pattern.
  bool check_skips(const std::vector<std::pair<std::string, source::Span>>& texts) {
    for (const auto& [text, span] : texts) {
      const auto error = regex::syntax_error_of(text);
      if (!error || error->unsupported) continue;
      auto& report = context_.sink.report(diag::regex_syntax, span, error->message);
      report.with_help(fmt::format("write `.*{}`", text.substr(text.find_first_not_of("*.?"))));
      advise_on_class(report, text, span);
      action().valid = false;
      return false;
    }
    return true;
  }

  void check_list(const Value& skip, const std::vector<std::pair<std::string, source::Span>>& texts) {
    if (context_.is_unknown(skip)) return;
    if (const auto* text = skip.get<std::string>()) {
      context_.sink.report(diag::torchao_string_list, skip.span, *text);
      return;
    }
    if (options_.modules == nullptr) return;
    const bool has_head =
        std::ranges::any_of(*options_.modules, [](const model::Module& module) { return module.name == "lm_head"; });
    const bool named =
        std::ranges::any_of(texts, [](const auto& each) { return each.first.find("lm_head") != std::string::npos; });
    if (has_head && !named)
      context_.sink.report(diag::torchao_list_quantizes_head, skip.span).with_cause(meant_for_head(texts));
  }

  // Returns the place of an entry that was meant to be the head, or an empty one. The entry is reported itself.
  static source::Span meant_for_head(const std::vector<std::pair<std::string, source::Span>>& texts) {
    static constexpr std::string_view kHead[] = {"lm_head"};
    const auto found =
        std::ranges::find_if(texts, [](const auto& each) { return base::nearest(each.first, kHead).has_value(); });
    return found == texts.end() ? source::Span() : found->second;
  }

  // --- vLLM ---------------------------------------------------------------------------------------------

  // Reports float8 activations on a GPU of the option without units for them.
  void check_gpu(const Config& config) {
    const auto gpu = gpu_of(options_);
    constexpr int kFloat8 = 89;
    const bool activations = config.spec != nullptr && (config.spec->name.starts_with("Float8DynamicActivation") ||
                                                        config.spec->name.starts_with("Float8StaticActivation"));
    if (!gpu || !activations || gpu->capability >= kFloat8) return;
    const std::string code = code_for(context_.file, "Int8DynamicActivationInt8WeightConfig()").shown();
    context_.sink
        .report(diag::float8_without_units, config.span, config.spec->name, gpu->title,
                capability_text(gpu->capability))
        .with_help(fmt::format("use a GPU of capability 8.9 or newer, such as `--gpu l4`, or write {}", code));
  }

  void read_by_vllm(const Configuration& config, const Value* skip, const Value& inner) {
    if (options_.modules != nullptr) {
      std::vector<model::Module> linear;
      std::ranges::copy_if(*options_.modules, std::back_inserter(linear),
                           [](const model::Module& module) { return torchao::is_linear(module); });
      recipe_.units = quantizers::fused_layers(linear, {.head = false, .experts = false});
    }
    if (config.all) check_gpu(*config.all);
    for (const MapEntry& entry : config.entries) {
      if (entry.config) check_gpu(*entry.config);
    }
    auto texts = texts_of(skip);
    const Value* data = inner.find("_data");
    const Value* map = data == nullptr ? nullptr : data->given("module_fqn_to_config");
    const auto* entries = map == nullptr ? nullptr : map->get<source::Map>();
    for (std::size_t at = 0; entries != nullptr && at < entries->size(); ++at) {
      if ((*entries)[at].second.is_null())
        texts.emplace_back(source::python_str((*entries)[at].first), (*entries)[at].first.span);
    }
    ir::Assign assign = lowered(config, kLinearLayers, kVllmMap);
    maps_ = map != nullptr && data->given("fqn_to_config") != nullptr ? 2 : 1;
    if (options_.modules != nullptr) report_ignored(assign);
    action().operations.emplace_back(without_places(std::move(assign)));
    if (!texts.empty()) action().operations.emplace_back(without_places(skipping(kVllmSkip, texts)));
  }

  // vLLM never looks up some layers, such as the output layer, so common checks must not report their entries.
  [[nodiscard]] ir::Assign without_places(ir::Assign assign) const {
    if (options_.modules == nullptr) return assign;
    const ir::Selection& selection = assign.selection;
    const ir::Decisions decisions = selection.language->decide(selection, assign.schemes, recipe_.units.items());
    quantizers::forget_places(assign.selection, quantizers::unmatched_rules(selection, decisions));
    return assign;
  }

  void report_ignored(const ir::Assign& assign) {
    const std::vector<model::Module>& layers = recipe_.units.items();
    const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, layers);
    std::vector<bool> used(assign.selection.rules.size(), false);
    for (const ir::Decisions::Decision& decision : decisions.entries) {
      if (decision.rule) used[*decision.rule] = true;
      for (const std::uint32_t other : decision.overridden) used[other] = true;
    }
    for (std::size_t at = 0; at < used.size(); ++at) {
      const ir::Rule& rule = assign.selection.rules[at];
      if (!used[at] && !rule.unknown && rule.kind == ir::Rule::Kind::assigns) {
        auto& report = context_.sink.report(diag::torchao_vllm_ignores_key, rule.span, rule.entry);
        if (offer_module(report, assign, static_cast<std::uint32_t>(at))) continue;
        const auto layer = joined_layer_of(rule, layers);
        if (!layer.empty()) offer_joined(report, rule, layer);
      }
    }
    report_joined(assign, decisions);
  }

  // Returns a key of a parameter as a key of its module; empty for another key.
  [[nodiscard]] static std::string without_parameter(std::string key) {
    if (key.ends_with('$')) key.pop_back();
    for (const std::string_view end : {R"(\.weight)", R"([.]weight)", ".weight"}) {
      if (key.ends_with(end)) return key.substr(0, key.size() - end.size());
    }
    return {};
  }

  // Returns a pattern with alternatives in place of sets of letters: `(q|k)_proj` for `[qk]_proj`.
  [[nodiscard]] static std::string with_alternatives(std::string_view pattern) {
    std::string out;
    for (const std::string_view unit : model::pattern_units(pattern)) {
      const std::string_view letters = unit.size() > 2 && unit.front() == '[' ? unit.substr(1, unit.size() - 2) : "";
      const bool plain = !letters.empty() && std::ranges::all_of(letters, base::is_name_letter);
      out += plain ? fmt::format("({})", fmt::join(letters, "|")) : std::string(unit);
    }
    return out;
  }

  // Returns a key that also matches all joined layers of whose parts it matches some.
  [[nodiscard]] std::string with_joined_layers(std::string key) const {
    std::set<std::string_view> seen;
    for (const model::Module& layer : recipe_.units.items()) {
      if (!seen.insert(base::last_part(layer.name)).second) continue;
      for (const std::string& each : {key, with_alternatives(key)}) {
        const std::string wider = quantizers::entry_for_joined(each, layer.name, "re:");
        if (wider.empty()) continue;
        key = wider;
        break;
      }
    }
    return key;
  }

  // Offers the key of the modules for a key of their parameters. Returns false if it matches no layer.
  bool offer_module(diag::Diagnostic& report, const ir::Assign& assign, std::uint32_t at) const {
    const std::string module = without_parameter(assign.selection.rules[at].entry);
    if (module.empty()) return false;
    const std::string meant = with_joined_layers(module);
    ir::Selection selection = assign.selection;
    selection.rules[at].entry = meant;
    const auto decisions = selection.language->decide(selection, assign.schemes, recipe_.units.items());
    const auto decides = [&](std::uint32_t each) { return decisions.entries[each].rule == at; };
    if (std::ranges::none_of(decisions.of_modules, decides)) return false;
    const std::string where = maps_ > 1 ? " in both maps" : "";
    report.with_caret("names parameters, not modules")
        .with_help(fmt::format("write `{}`{}", emit::literal(emit::Syntax::json, meant), where));
    if (maps_ == 1) report.with_fix(diag::Fix::unsafe().content(report.span, meant));
    return true;
  }

  // Returns the joined layer of whose parts a key matches one; empty if there is none.
  [[nodiscard]] static std::string joined_layer_of(const ir::Rule& rule, const std::vector<model::Module>& layers) {
    for (const model::Module& layer : layers) {
      if (!quantizers::entry_for_joined(rule.entry, layer.name, "re:").empty()) return layer.name;
    }
    return {};
  }

  static void offer_joined(diag::Diagnostic& report, const ir::Rule& rule, const std::string& layer) {
    const std::string meant = quantizers::entry_for_joined(rule.entry, layer, "re:");
    report.with_help(fmt::format("write `{}`, which also matches `{}`", meant, base::last_part(layer)))
        .with_fix(diag::Fix::unsafe().content(rule.span, meant));
  }

  // Reports keys that decide all parts of a joined layer that vLLM leaves unquantized.
  void report_joined(const ir::Assign& assign, const ir::Decisions& decisions) {
    const std::vector<model::Module>& layers = recipe_.units.items();
    const ir::Selection& selection = assign.selection;
    const ir::Decisions own = kOwnMap.decide(selection, assign.schemes, *options_.modules);
    std::map<std::string_view, std::optional<std::uint32_t>> rules;
    for (std::size_t at = 0; at < own.of_modules.size(); ++at) {
      rules.emplace((*options_.modules)[at].name, own.entries[own.of_modules[at]].rule);
    }
    std::set<std::uint32_t> reported;
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const std::vector<std::string> parts = quantizers::parts_of(layers[at].name);
      const auto found = parts.empty() ? rules.end() : rules.find(parts.front());
      const auto rule = found == rules.end() ? std::nullopt : found->second;
      const bool decided = decisions.entries[decisions.of_modules[at]].rule.has_value();
      if (!rule || decided || selection.rules[*rule].kind != ir::Rule::Kind::assigns) continue;
      if (quantizers::entry_for_joined(selection.rules[*rule].entry, layers[at].name, "re:").empty()) continue;
      if (!reported.insert(*rule).second) continue;
      auto& report = context_.sink.report(diag::torchao_vllm_joined_layer, selection.rules[*rule].span,
                                          base::last_part(layers[at].name), selection.rules[*rule].entry);
      offer_joined(report, selection.rules[*rule], layers[at].name);
    }
  }

  Context context_;
  const ReadOptions& options_;
  ir::Recipe recipe_;
  std::size_t maps_ = 1;  // that the file has with the same keys
};

}  // namespace

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const std::set<source::Span> unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  const Context context{source.file, unknown, sink, options};
  const Value root = doc::construct(source.document, source.document.root, sink);
  return Reading(context, options).run(root);
}

}  // namespace sparsecfg::dialect::torchao
