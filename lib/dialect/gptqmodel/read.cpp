#include "dialect/gptqmodel/read.h"

#include <algorithm>
#include <utility>

#include "dialect/gptqmodel/languages.h"
#include "dialect/gptqmodel/table.h"
#include "dialect/quantizers/calls.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/selection.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::gptqmodel {

using source::Value;

// Positive entries of AWQ have no effect on the layers (docs/semantics/gptqmodel.md#c1-1).
static bool reads_positive_entries(const Config& config) {
  return config.saved ||
         (config.method != Method::awq && config.method != Method::exl3 && config.method != Method::paroquant);
}

ir::Assign lowered(const Config& config) {
  ir::Assign out;
  out.method = {std::string(word_of(config.method)), std::string(name_of(config.method)), {}};
  out.selection.language = config.lm_head ? &kOwnWithHead : &kOwn;
  out.selection.unknown = config.unknown;
  out.selection.otherwise = quantizers::add_scheme(out.schemes, scheme_of(config, config.base));
  for (const Entry& entry : config.dynamic) {
    const bool negative = entry.is_negative();
    if (!negative && !reads_positive_entries(config)) continue;
    ir::Rule rule{entry.pattern, entry.span, negative ? ir::Rule::Kind::excludes : ir::Rule::Kind::assigns, 0,
                  entry.unknown || config.unknown};
    if (!negative) rule.scheme = quantizers::add_scheme(out.schemes, scheme_of(config, layer_of(entry, config.base)));
    out.selection.rules.push_back(std::move(rule));
  }
  if (config.lm_head && !config.saved && !config.has_dynamic && reads_positive_entries(config)) {
    const std::uint32_t scheme = quantizers::add_scheme(out.schemes, scheme_of(config, kHeadLayer));
    out.selection.rules.push_back({"lm_head", config.span, ir::Rule::Kind::assigns, scheme});
  }
  return out;
}

std::vector<ir::MethodSetting> settings_of(const Context& context, const Config& config) {
  static constexpr std::string_view kSettings[] = {
      "damp_auto_increment", "damp_percent", "fallback", "foem",          "gptaq",          "mock_quantization", "mse",
      "preprocessors",       "rotation",     "smoother", "static_groups", "true_sequential"};
  if (config.saved) return {};
  return quantizers::settings_of(config.values, kQuantizeConfig, kSettings, context.file, context.unknown);
}

// Returns the mapping of settings: that of a call, a saved file, or the section of a `config.json`.
static quantizers::Configuration settings_in(const Value& root, std::span<const quantizers::Callable> calls) {
  const Value* section = root.given("quantization_config");
  return section == nullptr ? quantizers::configuration_of(root, calls)
                            : quantizers::Configuration{{}, section->span, *section};
}

static ir::Action action_of(const quantizers::Configuration& settings) {
  ir::Action action;
  action.effect = ir::Opaque{};
  const std::string_view name = settings.call.empty() ? kQuantizeConfig.name : settings.call;
  action.origin = quantizers::origin_of(name, settings.name, settings.value);
  action.needs_data = true;
  return action;
}

// Returns true for the form with `version: 2`, even if it lacks the stages.
static bool is_protocol(const Value& settings) {
  const auto* map = settings.get<source::Map>();
  const bool only_version = map != nullptr && map->size() == 1 && settings.find("version") != nullptr;
  return only_version || settings.find("stages") != nullptr;
}

static std::optional<Config> read_config(const Context& context, const quantizers::Configuration& settings) {
  if (settings.call.empty() && is_protocol(settings.value)) return compile_protocol(context, settings.value);
  const Form form = settings.call.empty() ? Form::saved : Form::call;
  return construct(context, settings.value, form, settings.name);
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const std::set<source::Span> unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  const Context context{source.file, unknown, sink};
  const Value root = doc::construct(source.document, source.document.root, sink);
  const quantizers::Configuration settings = settings_in(root, callables());
  ir::Recipe recipe;
  recipe.dialect = "gptqmodel";
  recipe.trains = false;
  recipe.has_rates = false;
  if (settings.value.get<source::Map>() == nullptr) {
    sink.report(diag::wrong_type, root.span, "quantize_config.json", "a mapping", source::describe(root));
    return recipe;
  }
  ir::Action action = action_of(settings);
  const auto config = read_config(context, settings);
  action.valid = config && check_patterns(context, *config) && check_kernels(context, *config, options) &&
                 check_tied_head(context, *config, options);
  recipe.is_result = config && config->saved && !config->protocol;
  if (action.valid) check_for_transformers(context, *config, options);
  if (action.valid) check_merges(context, *config, options);
  const bool vllm = quantizers::runtime_of(options) == quantizers::Runtime::vllm;
  if (action.valid && !vllm) {
    ir::Assign assign = lowered(*config);
    assign.method.settings = settings_of(context, *config);
    check_losses(context, *config, options, assign);
    action.operations.emplace_back(std::move(assign));
  }
  recipe.actions.push_back(std::move(action));
  if (recipe.actions.front().valid && vllm) read_by_vllm(context, *config, options, recipe);
  return recipe;
}

}  // namespace sparsecfg::dialect::gptqmodel
