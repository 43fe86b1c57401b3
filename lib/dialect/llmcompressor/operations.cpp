#include "dialect/llmcompressor/operations.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/overloaded.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/model_free.h"
#include "dialect/llmcompressor/reached_layers.h"
#include "dialect/schemes/language.h"
#include "dialect/schemes/operations.h"
#include "dialect/stages/algorithms.h"
#include "dialect/stages/settings.h"
#include "dialect/stages/unknown.h"

namespace sparsecfg::dialect::llmcompressor {

using Operations = std::vector<ir::Operation>;

// --- methods ------------------------------------------------------------------------------------------------------

// Returns the name of the algorithm of a class.
static stages::Algorithm algorithm_of(const Modifier& modifier) {
  switch (kind_of(modifier)) {
    case ClassKind::quantization:
    case ClassKind::model_free: return stages::kRoundToNearest;
    case ClassKind::gptq: return stages::kGptq;
    case ClassKind::auto_round: return {"autoround", "AutoRound"};
    case ClassKind::sparse_gpt: return stages::kSparseGpt;
    case ClassKind::wanda: return stages::kWanda;
    case ClassKind::reap: return {"reap", "REAP"};
    case ClassKind::smoothing: return stages::smoothing_of(modifier.spec->name);
    case ClassKind::awq: return {"awq", "AWQ"};
    case ClassKind::quip: return {"quip", "QuIP"};
    case ClassKind::spin_quant: return {"spinquant", "SpinQuant"};
    case ClassKind::constant_pruning:
    case ClassKind::magnitude_pruning:
    case ClassKind::opaque: break;
  }
  return {modifier.spec->name, modifier.spec->name};
}

// Fields that rules, schemes and amounts express.
static ir::Method method_of(const Modifier& modifier) {
  const stages::Algorithm algorithm = algorithm_of(modifier);
  return {std::string(algorithm.name), std::string(algorithm.title),
          stages::settings_of(modifier, {"targets", "ignore", "scheme", "config_groups", "kv_cache_scheme", "observer",
                                         "weight_observer", "input_observer", "output_observer", "actorder", "sparsity",
                                         "mask_structure", "mappings"})};
}

// --- selections ---------------------------------------------------------------------------------------------------

static ir::Selection selection_of(const Entries& targets, const Entries& ignored,
                                  const ir::Language& language = schemes::kListLanguage) {
  ir::Selection out{&language, schemes::rules_of(targets)};
  std::ranges::move(schemes::rules_of(ignored, ir::Rule::Kind::leaves), std::back_inserter(out.rules));
  return out;
}

// A selection is evaluated by the same functions as the modifier, so its entries become a modifier again.
static ir::Decisions decide_pruned(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                   std::span<const model::Module> modules) {
  Entries targets;
  Entries ignored;
  for (const ir::Rule& rule : selection.rules) {
    (rule.kind == ir::Rule::Kind::leaves ? ignored : targets).push_back({rule.entry, rule.span});
  }
  const Modules all(modules.begin(), modules.end());
  return schemes::decisions_for(selection, modules, pruned_layers(targets, ignored, all));
}

static ir::Decisions decide_experts(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                    std::span<const model::Module> modules) {
  Entries ignored;
  for (const ir::Rule& rule : selection.rules) {
    if (rule.kind == ir::Rule::Kind::leaves) ignored.push_back({rule.entry, rule.span});
  }
  const Modules all(modules.begin(), modules.end());
  return schemes::decisions_for(selection, modules, blocks_with_experts(ignored, all));
}

static const ir::Language kPrunedLanguage{.name = "llm-compressor, pruning",
                                          .decide = decide_pruned,
                                          .examples = schemes::example_modules,
                                          .order_matters = false};
static const ir::Language kExpertLanguage{.name = "llm-compressor, experts",
                                          .decide = decide_experts,
                                          .examples = schemes::example_modules,
                                          .order_matters = false};

// --- modifiers ----------------------------------------------------------------------------------------------------

static Operations prune(const Modifier& modifier, const LayerPruning& pruning) {
  const Entries targets = pruning.iterates_letters() ? Entries() : pruning.targets.value_or({});
  ir::PruneOnce out{selection_of(targets, modifier.ignore(), kPrunedLanguage),
                    pruning.sparsity ? std::optional(*pruning.sparsity) : std::nullopt, "", method_of(modifier)};
  if (pruning.mask.m > 0) {  // the mask decides how many weights are removed
    out.mask = pruning.mask_structure.value_or("");
    out.sparsity = static_cast<double>(pruning.mask.n) / static_cast<double>(pruning.mask.m);
  }
  if (!out.sparsity && pruning.sparsity.given() != nullptr) {
    out.method.settings.push_back({"sparsity", source::python_str(*pruning.sparsity.given())});
  }
  return {std::move(out)};
}

static Operations remove_experts(const Modifier& modifier, const ExpertPruning& pruning) {
  ir::Method method = method_of(modifier);
  method.settings.push_back({"sparsity", pruning.sparsity ? source::python_str({*pruning.sparsity, {}}) : "unknown"});
  ir::Selection selection = selection_of({{"LinearExperts2D", {}}}, modifier.ignore(), kExpertLanguage);
  return {ir::Transform{ir::Transform::Kind::other, std::move(selection), std::move(method)}};
}

// Returns the first layer that an entry matches and that has a matrix; null if there is none.
static const model::Module* layer_of(const std::string& entry, const Modules& modules) {
  const model::Matcher matcher = matcher_of(entry);
  const auto found = std::ranges::find_if(modules, [&](const model::Module& module) {
    return module.shape && module.shape->size() == 2 && matcher.takes(module);
  });
  return found == modules.end() ? nullptr : &*found;
}

// AWQ skips a mapping from a layer to one with another width, as from `v_proj` to `o_proj` if heads share their values.
static bool is_skipped(const Modifier& modifier, const Mapping& mapping, const Modules& modules) {
  if (modifier.as<Awq>() == nullptr || mapping.balanced.size() != 1) return false;
  const model::Module* scaled = layer_of(mapping.scaled, modules);
  const model::Module* balanced = layer_of(mapping.balanced.front(), modules);
  return scaled != nullptr && balanced != nullptr && (*scaled->shape)[0] != (*balanced->shape)[1];
}

// Returns the scaled and the balanced modules of all mappings.
static Operations smooth(const Modifier& modifier, const Modules* modules) {
  static const Modules kNone;
  const Modules& known = modules == nullptr ? kNone : *modules;
  Entries entries;
  std::set<std::string> scaled;  // SmoothQuant skips further mappings of a module
  for (const Mapping& mapping : mappings_of(modifier, known)) {
    const bool repeated = modifier.as<Awq>() == nullptr && !scaled.insert(mapping.scaled).second;
    if (repeated || is_skipped(modifier, mapping, known)) continue;
    entries.push_back({mapping.scaled, mapping.span});
    for (const std::string& balanced : mapping.balanced) entries.push_back({balanced, mapping.span});
  }
  return {ir::Transform{ir::Transform::Kind::smoothing, selection_of(entries, modifier.ignore()), method_of(modifier)}};
}

// Before release 0.11, AWQ also quantizes.
static Operations smooth_and_quantize(const Modifier& modifier, const ir::Origin& origin, const Modules* modules,
                                      Release release) {
  Operations out = smooth(modifier, modules);
  if (!is_at_least(release, Release::v0_11)) {
    std::ranges::move(schemes::scheme_operations(origin, method_of(modifier)), std::back_inserter(out));
  }
  return out;
}

static Operations rotate(const Modifier& modifier, const Entries& targets) {
  return {ir::Transform{ir::Transform::Kind::rotation, selection_of(targets, modifier.ignore()), method_of(modifier)}};
}

std::vector<RotatedPlace> rotated_places(const source::Value& config) {
  std::vector<RotatedPlace> out;
  const source::Value* groups = config.find("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const source::Value& group = (*map)[at].second;
    const source::Value* apply = group.find("apply");
    const auto* places = apply == nullptr ? nullptr : apply->get<source::List>();
    for (std::size_t each = 0; places != nullptr && each < places->size(); ++each) {
      out.push_back({group, (*places)[each]});
    }
  }
  return out;
}

RotatedEntries rotated_entries(const Modifier& modifier, const Quip& quip) {
  const source::Value* config = quip.transform_config.given();
  if (config == nullptr || config->find("config_groups") == nullptr) return {modifier.targets(), modifier.ignore()};
  RotatedEntries out;
  for (const RotatedPlace& each : rotated_places(*config)) {
    std::ranges::move(schemes::entries_of(each.place.find("targets")), std::back_inserter(out.targets));
    std::ranges::move(schemes::entries_of(each.place.find("ignore")), std::back_inserter(out.ignored));
  }
  return out;
}

static Operations rotate_by_quip(const Modifier& modifier, const Quip& quip) {
  const RotatedEntries entries = rotated_entries(modifier, quip);
  return {ir::Transform{ir::Transform::Kind::rotation, selection_of(entries.targets, entries.ignored),
                        method_of(modifier)}};
}

// The layers at the residual stream, and the layers within attention and feed-forward blocks.
static Operations rotate_by_spin(const Modifier& modifier, const SpinQuant& spin) {
  Entries targets;
  const auto add = [&](std::string_view rotation, std::initializer_list<std::string_view> entries) {
    if (!spin.rotates_by(rotation)) return;
    for (const std::string_view entry : entries) targets.push_back({std::string(entry), modifier.key});
  };
  add("R1", {"re:.*embed_tokens$", "re:.*(q|k|v|o|up|gate|down)_proj$", "lm_head"});
  add("R2", {"re:.*(v|o)_proj$"});
  add("R4", {"re:.*down_proj$"});
  return rotate(modifier, targets);
}

// A modifier without a scheme attaches an empty one to its targets (docs/semantics/llm-compressor.md#b2-10).
static Operations quantize(const Modifier& modifier, const Quantization& quantization, const ir::Origin& origin) {
  Operations out = schemes::scheme_operations(origin, method_of(modifier));
  if (!quantization.only_cache()) return out;
  ir::Selection selection{&schemes::kSchemeLanguage, schemes::rules_of(modifier.ignore(), ir::Rule::Kind::leaves)};
  std::ranges::move(schemes::rules_of(quantization.groups.front().targets, ir::Rule::Kind::excludes),
                    std::back_inserter(selection.rules));
  out.insert(out.begin(), ir::Assign{std::move(selection), {ir::Scheme()}, method_of(modifier)});
  return out;
}

static Operations known_operations(const Modifier& modifier, const ir::Origin& origin, const Modules* modules,
                                   Release release) {
  return std::visit(
      base::Overloaded{[&](const ModelFree&) { return tensor_operations(origin, method_of(modifier)); },
                       [&](const Quantization& quantization) { return quantize(modifier, quantization, origin); },
                       [&](const LayerPruning& pruning) { return prune(modifier, pruning); },
                       [&](const ExpertPruning& pruning) { return remove_experts(modifier, pruning); },
                       [&](const Smoothing&) { return smooth(modifier, modules); },
                       [&](const Awq&) { return smooth_and_quantize(modifier, origin, modules, release); },
                       [&](const Quip& quip) { return rotate_by_quip(modifier, quip); },
                       [&](const SpinQuant& spin) { return rotate_by_spin(modifier, spin); },
                       [](const TrainingMask&) { return Operations(); }, [](const Opaque&) { return Operations(); }},
      modifier.settings);
}

Operations operations_of(const Modifier& modifier, const ir::Origin& origin, const Modules* modules, Release release) {
  if (!modifier.valid) return {};
  Operations out = known_operations(modifier, origin, modules, release);
  if (stages::has_unknown_rules(modifier)) stages::mark_unknown(modifier, method_of(modifier), out);
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
