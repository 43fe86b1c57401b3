#include <algorithm>
#include <map>
#include <numeric>

#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/result.h"
#include "dialect/compressed_tensors/runtime_targets.h"
#include "dialect/compressed_tensors/serving.h"
#include "dialect/decided.h"
#include "dialect/plan/plan.h"
#include "dialect/runtime.h"
#include "dialect/schemes/assigned.h"
#include "dialect/schemes/operations.h"

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

// Returns the entries of the lists `ignore` as the recipe has them.
static std::vector<schemes::Entry> written_ignore(const ir::Recipe& recipe) {
  std::vector<schemes::Entry> out;
  for (const ir::Action& action : recipe.actions) {
    const std::vector<schemes::Entry> entries = schemes::entries_of(action.origin.given("ignore"));
    out.insert(out.end(), entries.begin(), entries.end());
  }
  return out;
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
  check_serving({file, sink, modules, choice, true, written_ignore(recipe)}, config_of(recipe, modules));
}

namespace {

// Returns the entries of a recipe by their places. The library writes the names of the modules that an entry ignores.
std::map<std::uint32_t, std::string> written_entries(const ir::Recipe& recipe) {
  std::map<std::uint32_t, std::string> out;
  for (const ir::Action& action : recipe.actions) {
    for (const ir::Operation& operation : action.operations) {
      for (const ir::Rule& rule : ir::selection_of(operation).rules) out.emplace(rule.span.begin, rule.entry);
    }
  }
  return out;
}

// Builds the recipe that a runtime reads.
class RuntimeReader {
 public:
  RuntimeReader(const ir::Recipe& recipe, const Config& config, const RuntimeChoice& choice,
                const compressed_tensors::Modules& modules)
      : written_(written_entries(recipe)), config_(config), targets_(config, choice), modules_(modules) {
    out_.runtime = compressed_tensors::title_of(choice);
  }

  ir::RuntimeLayers run() {
    for (Layer& layer : compressed_tensors::layers_of(modules_)) add(layer);
    if (config_.cache != nullptr) add_attention();
    ir::Action action{ir::Opaque{}, ir::Cadence{}, {out_.runtime, 0, {}, {}, {}, {}}};
    action.operations.emplace_back(assignment());
    if (config_.cache != nullptr) action.operations.emplace_back(cache());
    out_.recipe.trains = false;
    out_.recipe.is_result = true;
    out_.recipe.units = base::SharedList<model::Module>(std::move(layers_));
    out_.recipe.actions.push_back(std::move(action));
    return std::move(out_);
  }

 private:
  void add(Layer& layer) {
    const compressed_tensors::RuntimeDecision decision = targets_.decision_of(layer);
    DecidedUnit& unit = decided_.emplace_back();
    if (decision.group && !config_.groups[*decision.group].is_empty()) {
      unit.scheme = static_cast<std::uint32_t>(*decision.group);
    }
    if (decision.entry != nullptr) set_entry(unit, *decision.entry);
    layers_.push_back({std::move(layer.name), std::string(layer.type), shape_of(layer)});
    out_.modules.push_back(std::move(layer.parts));
  }

  // A module that no entry of the recipe names is left as it is by default.
  void set_entry(DecidedUnit& unit, const schemes::Entry& entry) const {
    const auto written = written_.find(entry.span.begin);
    if (written != written_.end()) unit.entry = written->second, unit.span = entry.span;
  }

  // Returns the shape of a weight: the rows of all parts, and their columns.
  static std::optional<model::Shape> shape_of(const Layer& layer) {
    if (layer.kind == Layer::Kind::experts || layer.columns == 0 ||
        std::ranges::find(layer.rows, 0U) != layer.rows.end()) {
      return std::nullopt;
    }
    return model::Shape{std::accumulate(layer.rows.begin(), layer.rows.end(), std::uint64_t{0}), layer.columns};
  }

  // Adds the modules whose cache the file quantizes.
  void add_attention() {
    const std::vector<bool> cached = schemes::cached_attention(modules_);
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      if (!cached[at]) continue;
      layers_.push_back({modules_[at].name, "Attention"});
      out_.modules.push_back({modules_[at].name});
    }
  }

  // The entries of the file decide about the layers, and the cache scheme about the modules after them.
  [[nodiscard]] ir::Assign assignment() const {
    ir::Assign out;
    for (const compressed_tensors::ConfigGroup& group : config_.groups) {
      out.schemes.push_back(schemes::scheme_of(schemes::complete_group(group.name, *group.value)));
    }
    std::vector<DecidedUnit> units = decided_;
    units.resize(layers_.size(), DecidedUnit{.reached = false});
    out.selection = decided_selection(&kLanguage, units);
    return out;
  }

  [[nodiscard]] ir::CacheScheme cache() const {
    std::vector<DecidedUnit> units(decided_.size(), DecidedUnit{.reached = false});
    units.resize(layers_.size(), DecidedUnit{.scheme = 0, .entry = "kv_cache_scheme", .span = config_.cache->span});
    const ir::TensorFormat format = schemes::format_of(schemes::complete(*config_.cache));
    return {decided_selection(&kLanguage, units), format, format, {}};
  }

  static constexpr ir::Language kLanguage{.name = "runtime", .decide = decide_by_position};

  std::map<std::uint32_t, std::string> written_;
  const Config& config_;
  RuntimeTargets targets_;
  const compressed_tensors::Modules& modules_;
  std::vector<DecidedUnit> decided_;
  std::vector<model::Module> layers_;
  ir::RuntimeLayers out_;
};

}  // namespace

std::optional<ir::RuntimeLayers> runtime_layers(const ir::Recipe& recipe, const ReadOptions& options) {
  const RuntimeChoice choice = compressed_tensors::runtime_of(options);
  const bool assigns = plan_of(recipe).layer_schemes && assigns_any(recipe);
  if (choice.runtime == Runtime::library || options.modules == nullptr || !assigns) return std::nullopt;
  const compressed_tensors::Modules* modules = modules_within_limit(recipe, options);
  if (modules == nullptr) return ir::RuntimeLayers{compressed_tensors::title_of(choice), {}, {}, false};
  const Config config = config_of(recipe, modules);
  return RuntimeReader(recipe, config, choice, *options.modules).run();
}

std::vector<std::pair<std::string_view, std::string>> runtime_releases() {
  return {{"vLLM", compressed_tensors::known_releases()}, {"SGLang", "unknown releases"}};
}

}  // namespace sparsecfg::dialect
