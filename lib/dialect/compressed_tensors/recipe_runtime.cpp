#include <algorithm>
#include <iterator>

#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/result.h"
#include "dialect/compressed_tensors/runtime_targets.h"
#include "dialect/compressed_tensors/serving.h"
#include "dialect/plan/plan.h"
#include "dialect/runtime.h"

// The checks of runtimes on recipes, and the layers that a runtime builds.
namespace sparsecfg::dialect {

using compressed_tensors::Config;
using compressed_tensors::Layer;
using compressed_tensors::Runtime;
using compressed_tensors::RuntimeChoice;
using compressed_tensors::RuntimeTargets;

// Returns the place of a field in the recipe, or of the action that assigns schemes.
static source::Span place_in(const ir::Recipe& recipe, std::string_view name) {
  source::Span out;
  for (const ir::Action& action : recipe.actions) {
    if (!compressed_tensors::assigns_schemes(action)) continue;
    const ir::OriginField* field = action.origin.find(name);
    if (field != nullptr && !field->key.empty()) return field->key;
    if (out.empty()) out = action.origin.span;
  }
  return out;
}

// Returns the `quantization_config` that a recipe describes or produces.
static Config config_of(const ir::Recipe& recipe, const compressed_tensors::Modules* modules) {
  std::vector<Field> fields;
  if (plan_of(recipe).is_result) {
    for (const ir::OriginField& field : recipe.actions.front().origin.fields) {
      fields.push_back({field.name, field.key, field.value, nullptr});
    }
  } else {
    for (auto& [name, value] : compressed_tensors::result_of(recipe, modules, true)) {
      const std::string text = source::python_str(name);
      if (value.span.empty()) value.span = place_in(recipe, text);
      fields.push_back({text, value.span, std::move(value), nullptr});
    }
  }
  return compressed_tensors::config_of(
      {&compressed_tensors::config_table(), place_in(recipe, "config_groups"), std::move(fields), true, {}, {}, 1});
}

// Returns the modules of the model, or null if matching all patterns of the recipe with them would be too slow.
static const compressed_tensors::Modules* modules_within_limit(const ir::Recipe& recipe, const ReadOptions& options) {
  diag::Sink unused;
  return compressed_tensors::modules_for(config_of(recipe, nullptr), options.modules.get(), unused);
}

static bool assigns_any(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, compressed_tensors::assigns_schemes);
}

DIAGNOSTIC(CT217, sparsity_not_used, warning, (Text, Text, Text), "{0} does not use the {1} sparsity of `{2}`",
           "vLLM 0.19 removed its kernels for 2:4 sparsity, and vLLM 0.22 rejects models that are stored sparse. The "
           "zeros are stored and multiplied like other weights, so the model is not faster.",
           "delete the modifier, or quantize only")

// Reports pruning that the runtime does not use.
static void check_pruning(const ir::Recipe& recipe, const RuntimeChoice& choice, diag::Sink& sink) {
  if (choice.runtime != Runtime::vllm || !choice.has(compressed_tensors::facts::kNoSparseKernels)) {
    return;
  }
  for (const ir::Action& action : recipe.actions) {
    const ir::OriginField* mask = action.origin.find("mask_structure");
    const auto* text = mask == nullptr ? nullptr : mask->value.get<std::string>();
    if (text == nullptr || text->find(':') == text->npos || *text == "0:0") continue;
    sink.report(diag::sparsity_not_used, mask->value.span.empty() ? mask->key : mask->value.span,
                compressed_tensors::title_of(choice), *text, action.origin.class_name);
  }
}

void check_runtime(const ir::Recipe& recipe, const ReadOptions& options, diag::Sink& sink) {
  const RuntimeChoice choice = compressed_tensors::runtime_of(options);
  const Plan plan = plan_of(recipe);
  const bool valid = std::ranges::all_of(recipe.actions, &ir::Action::valid);
  if (choice.runtime == Runtime::library || !valid || recipe.incomplete || !plan.layer_schemes || plan.is_result) {
    return;
  }
  check_pruning(recipe, choice, sink);
  if (!assigns_any(recipe)) {
    return;
  }
  const source::SourceFile file{"config.json", ""};
  // The reader of the recipe has the same limit, and reports it.
  const compressed_tensors::Modules* modules = modules_within_limit(recipe, options);
  check_serving({file, sink, modules, choice}, config_of(recipe, modules));
}

// Returns the group of a layer, or nullopt if the layer is ignored, rejected or not matched.
static std::optional<std::size_t> group_in(const RuntimeTargets& targets, const Layer& layer) {
  if (layer.kind == Layer::Kind::experts) return targets.group_of_expert(layer.parts.front());
  if (targets.ignores(layer).value_or(true)) return std::nullopt;
  return targets.group_of(layer);
}

// Returns the attention modules whose cache the file quantizes.
static std::vector<ir::RuntimeLayer> cached_layers(const Config& config, const compressed_tensors::Modules& modules) {
  std::vector<ir::RuntimeLayer> out;
  const std::vector<bool> cached = schemes::cached_attention(modules);
  for (std::size_t at = 0; config.cache != nullptr && at < modules.size(); ++at) {
    if (!cached[at]) continue;
    out.push_back({modules[at].name,
                   "Attention",
                   {modules[at].name},
                   "kv_cache_scheme",
                   schemes::describe(schemes::read_args(*config.cache))});
  }
  return out;
}

std::optional<ir::RuntimeLayers> runtime_layers(const ir::Recipe& recipe, const ReadOptions& options) {
  const RuntimeChoice choice = compressed_tensors::runtime_of(options);
  const bool assigns = plan_of(recipe).layer_schemes && assigns_any(recipe);
  if (choice.runtime == Runtime::library || options.modules == nullptr || !assigns) {
    return std::nullopt;
  }
  ir::RuntimeLayers out{compressed_tensors::title_of(choice), {}};
  const compressed_tensors::Modules* modules = modules_within_limit(recipe, options);
  if (modules == nullptr) {
    out.complete = false;
    return out;
  }
  const Config config = config_of(recipe, modules);
  const RuntimeTargets targets(config, choice);
  for (Layer& layer : compressed_tensors::layers_of(*options.modules)) {
    const std::optional<std::size_t> group = group_in(targets, layer);
    ir::RuntimeLayer& row = out.layers.emplace_back(
        ir::RuntimeLayer{std::move(layer.name), std::string(layer.type), std::move(layer.parts), {}, {}});
    if (!group || config.groups[*group].is_empty()) continue;
    row.group = config.groups[*group].name;
    row.scheme = schemes::describe(config.groups[*group]);
  }
  std::ranges::move(cached_layers(config, *options.modules), std::back_inserter(out.layers));
  return out;
}

std::vector<std::pair<std::string_view, std::string>> runtime_releases() {
  return {{"vLLM", compressed_tensors::known_releases()}, {"SGLang", "unknown releases"}};
}

}  // namespace sparsecfg::dialect
