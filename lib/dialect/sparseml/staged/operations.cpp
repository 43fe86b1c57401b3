#include "dialect/sparseml/staged/operations.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/budget.h"
#include "base/text.h"
#include "dialect/schemes/language.h"
#include "dialect/schemes/operations.h"
#include "dialect/schemes/targets.h"
#include "dialect/sparseml/staged/rules.h"
#include "dialect/sparseml/staged/types.h"
#include "dialect/stages/algorithms.h"
#include "dialect/stages/settings.h"
#include "dialect/stages/unknown.h"

// The outcome of stage recipes (docs/semantics/sparseml.md#h3). SparseML applies schemes with compressed-tensors, so
// their groups select layers as those of llm-compressor do.
namespace sparsecfg::dialect::sparseml::staged {

using Operations = std::vector<ir::Operation>;
using schemes::Entry;
using source::Value;

// --- methods ------------------------------------------------------------------------------------------------------

static stages::Algorithm algorithm_of(const Modifier& modifier) {
  switch (kind_of(modifier)) {
    case ClassKind::quantization: return stages::kRoundToNearest;
    case ClassKind::gptq: return stages::kGptq;
    case ClassKind::sparse_gpt: return stages::kSparseGpt;
    case ClassKind::wanda: return stages::kWanda;
    case ClassKind::smoothing: return stages::smoothing_of(modifier.spec->name);
    case ClassKind::magnitude_pruning:
    case ClassKind::constant_pruning:
    case ClassKind::legacy_quantization:
    case ClassKind::distillation:
    case ClassKind::opaque: break;
  }
  return {modifier.spec->name, modifier.spec->name};
}

// Fields that rules, schemes and amounts express are left out.
static ir::Method method_of(const Modifier& modifier) {
  const stages::Algorithm algorithm = algorithm_of(modifier);
  ir::Method out{std::string(algorithm.name), std::string(algorithm.title),
                 stages::settings_of(modifier, {"targets", "ignore", "scheme", "config_groups", "quantize", "sparsity",
                                                "mask_structure", "mappings"})};
  // llm-compressor has no such setting, because all its modifiers run once.
  out.settings.push_back({"run_type", modifier.one_shot ? "oneshot" : "train", false, modifier.one_shot});
  return out;
}

// --- layers within targets ------------------------------------------------------------------------------------------

constexpr std::string_view kWeightClasses[] = {"Linear", "Conv1d", "Conv2d", "Conv3d"};
constexpr std::string_view kDecoderLayers = "the decoder layers";  // the entry of a modifier without targets

// Returns true for a repeated block of a model, such as `model.layers.0`: its name ends in the first number in it.
static bool is_block(std::string_view name) {
  const auto is_number = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return base::is_digit(c); });
  };
  const std::vector<std::string_view> parts = base::parts_of(name, '.');
  return parts.size() > 1 && std::ranges::find_if(parts, is_number) == parts.end() - 1;
}

namespace {

// An entry of `targets`, which selects layers by their names, classes and parameters.
class Target {
 public:
  explicit Target(const std::string& entry)
      : all_(entry.starts_with("__ALL")), blocks_(entry == kDecoderLayers), matcher_(schemes::matcher_of(entry)) {}

  [[nodiscard]] bool takes(const model::Module& module) const {
    if (all_) return base::contains(kWeightClasses, module.type);
    if (blocks_) return is_block(module.name);
    return matcher_.takes(module) || matcher_.takes(module.name + ".weight");
  }

 private:
  bool all_;
  bool blocks_;
  model::Matcher matcher_;
};

}  // namespace

namespace {

// Decides the layers with weights that an entry selects, or that are inside a module that it selects. Ignored layers
// are left out.
class InsideDecisions {
 public:
  explicit InsideDecisions(const ir::Selection& selection) : ignored_(schemes::matcher_of(ignored_entries(selection))) {
    for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
      const ir::Rule& rule = selection.rules[at];
      if (rule.kind == ir::Rule::Kind::leaves || schemes::fault_of(rule.entry)) continue;
      targets_.emplace_back(rule.entry);
      out_.entries.push_back({ir::Decisions::Reason::rule, rule.kind, 0, at, {}, rule.unknown});
    }
  }

  ir::Decisions decide(std::span<const model::Module> modules) {
    for (const model::Module& module : modules) deciding_.emplace(module.name, decision_by_entry(module));
    for (const model::Module& module : modules) {
      const bool reached = base::contains(kWeightClasses, module.type) && !ignored_.takes(module);
      out_.of_modules.push_back(reached ? nearest_decision(module.name) : kNone);
    }
    return std::move(out_);
  }

 private:
  static constexpr std::uint32_t kNone = 0;

  static std::vector<Entry> ignored_entries(const ir::Selection& selection) {
    std::vector<Entry> out;
    for (const ir::Rule& rule : selection.rules) {
      if (rule.kind == ir::Rule::Kind::leaves) out.push_back({rule.entry, rule.span});
    }
    return out;
  }

  // Decisions are numbered from 1, in the order of the targets.
  [[nodiscard]] std::uint32_t decision_by_entry(const model::Module& module) const {
    const auto found = std::ranges::find_if(targets_, [&](const Target& target) { return target.takes(module); });
    return found == targets_.end() ? kNone : static_cast<std::uint32_t>(found - targets_.begin()) + 1;
  }

  // Returns the decision about a module, or about the nearest module around it that an entry selects.
  [[nodiscard]] std::uint32_t nearest_decision(std::string_view name) const {
    while (true) {
      const auto found = deciding_.find(name);
      const std::uint32_t decision = found == deciding_.end() ? kNone : found->second;
      if (decision != kNone || name.empty()) return decision;
      const std::size_t dot = name.rfind('.');
      name = name.substr(0, dot == name.npos ? 0 : dot);
    }
  }

  model::Matcher ignored_;
  std::vector<Target> targets_;
  std::unordered_map<std::string_view, std::uint32_t> deciding_;  // by name of a module
  ir::Decisions out_;
};

}  // namespace

static ir::Decisions decide_inside(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                   std::span<const model::Module> modules) {
  base::Budget matches({.steps = 4'000'000});
  if (!matches.spend((1 + selection.rules.size()) * modules.size())) return {.complete = false};
  return InsideDecisions(selection).decide(modules);
}

static const ir::Language kInsideLanguage{
    .name = "SparseML, layers", .decide = decide_inside, .examples = schemes::example_modules, .order_matters = false};

static ir::Selection selection_of(const std::vector<Entry>& targets, const std::vector<Entry>& ignored,
                                  const ir::Language& language) {
  ir::Selection out{&language, schemes::rules_of(targets)};
  std::ranges::move(schemes::rules_of(ignored, ir::Rule::Kind::leaves), std::back_inserter(out.rules));
  return out;
}

// Returns the layers within the targets. A modifier without targets changes all decoder layers.
static ir::Selection layers_within_targets(const Modifier& modifier, const std::vector<Entry>& ignored) {
  std::vector<Entry> targets = schemes::entries_of(modifier.given("targets"));
  if (targets.empty()) targets.push_back({std::string(kDecoderLayers), modifier.key});
  return selection_of(targets, ignored, kInsideLanguage);
}

// --- modifiers ------------------------------------------------------------------------------------------------------

// Both masks and lists of sparsities decide instead of the number.
static Operations prune_once(const Modifier& modifier) {
  const OneShotPruning pruning(modifier);
  ir::PruneOnce out{layers_within_targets(modifier, {}), std::nullopt, "", method_of(modifier)};
  const auto mask = read_blocks(pruning.mask_structure.value_or(""));
  if (mask && mask->second > 0) {
    out.mask = pruning.mask_structure.value_or("");
    out.sparsity = static_cast<double>(mask->first) / static_cast<double>(mask->second);
  } else if (!pruning.sparsities && pruning.sparsity_profile.value_or("") != "owl") {
    out.sparsity = pruning.sparsity.value_or(0);
  }
  if (!out.sparsity && pruning.sparsity.given() != nullptr) {
    out.method.settings.push_back({"sparsity", source::python_str(*pruning.sparsity.given())});
  }
  return {std::move(out)};
}

// Returns the scaled and the balanced layers of all mappings.
static Operations smooth_layers(const Modifier& modifier) {
  std::vector<Entry> entries;
  const Value* mappings = modifier.given("mappings");
  const auto* list = mappings == nullptr ? nullptr : mappings->get<source::List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto* mapping = (*list)[at].get<source::List>();
    for (std::size_t part = mapping == nullptr ? 0 : mapping->size(); part > 0; --part) {
      std::ranges::move(schemes::entries_of(&(*mapping)[part - 1]), std::back_inserter(entries));
    }
  }
  const std::vector<Entry> ignored = schemes::entries_of(modifier.given("ignore"));
  return {ir::Transform{ir::Transform::Kind::smoothing, selection_of(entries, ignored, schemes::kListLanguage),
                        method_of(modifier)}};
}

Operations OperationLowerer::quantize(const ir::Origin& origin, const ir::Method& method) {
  Operations out = schemes::scheme_operations(origin, method);
  quantized_ = quantized_ || !out.empty();
  ignored_ = schemes::entries_of(origin.given("ignore"));
  return out;
}

// A mapping is either one scheme, or maps presets to targets.
static void add_scheme(ir::Origin& origin, const Value& scheme) {
  const auto* map = scheme.get<source::Map>();
  const bool presets = map == nullptr || std::ranges::all_of(*map, [](const source::Entry& entry) {
                         return schemes::find_preset(source::python_str(entry.first)) != nullptr;
                       });
  if (presets) {
    origin.fields.push_back({"scheme", scheme.span, scheme});
    return;
  }
  source::Map group = *map;
  if (scheme.find("targets") == nullptr) {
    group.emplace_back(Value{std::string("targets"), {}}, Value{source::List{Value{std::string("Linear"), {}}}, {}});
  }
  source::Map groups{{Value{std::string("group_0"), {}}, Value{std::move(group), {}}}};
  origin.fields.push_back({"config_groups", scheme.span, {std::move(groups), {}}});
}

// Returns the fields of the modifier in `quantize`, or null.
static const Value* nested_modifier(const Modifier& modifier) {
  const Value* quantize = modifier.given("quantize");
  const auto* map = quantize == nullptr ? nullptr : quantize->get<source::Map>();
  return map == nullptr || map->size() != 1 ? nullptr : &map->front().second;
}

// Returns the modifier that GPTQ builds from its own fields or from those in `quantize`.
static ir::Origin built_by_hessian(const Modifier& modifier, const ir::Origin& origin) {
  const Value* nested = nested_modifier(modifier);
  const auto look = [&](std::string_view name) {
    const Value* own = modifier.given(name);
    return own != nullptr || nested == nullptr ? own : nested->given(name);
  };
  ir::Origin out{"QuantizationModifier", origin.ordinal, origin.stage, origin.group, origin.span, {}};
  if (const Value* scheme = look("scheme")) {
    add_scheme(out, *scheme);
  } else if (const Value* groups = look("config_groups")) {
    out.fields.push_back({"config_groups", groups->span, *groups});
  }
  const Value* ignore = look("ignore");
  if (ignore != nullptr && !out.fields.empty()) out.fields.push_back({"ignore", ignore->span, *ignore});
  return out;
}

// GPTQ without a scheme quantizes the layers of an earlier modifier. Without such a modifier, SparseML builds one whose
// scheme is not known.
Operations OperationLowerer::quantize_by_hessian(const Modifier& modifier, const ir::Origin& origin) {
  const ir::Origin built = built_by_hessian(modifier, origin);
  if (!built.fields.empty()) return quantize(built, method_of(modifier));
  const Value* flag = modifier.given("quantize");
  if (!quantized_ && flag != nullptr && as_boolean(*flag) == false) return {};
  ir::Selection selection = layers_within_targets(modifier, ignored_);
  for (ir::Rule& rule : selection.rules) {
    rule.unknown = !quantized_;
    if (rule.kind == ir::Rule::Kind::leaves) rule.span = {};  // an entry of the earlier modifier
  }
  return {ir::Transform{ir::Transform::Kind::other, std::move(selection), method_of(modifier)}};
}

Operations OperationLowerer::lower(const Modifier& modifier, const ir::Origin& origin) {
  if (!modifier.valid) return {};
  Operations out = known_operations(modifier, origin);
  if (stages::has_unknown_rules(modifier)) stages::mark_unknown(modifier, method_of(modifier), out);
  return out;
}

Operations OperationLowerer::known_operations(const Modifier& modifier, const ir::Origin& origin) {
  switch (kind_of(modifier)) {
    case ClassKind::quantization: return quantize(origin, method_of(modifier));
    case ClassKind::gptq: return quantize_by_hessian(modifier, origin);
    case ClassKind::sparse_gpt:
    case ClassKind::wanda: return prune_once(modifier);
    case ClassKind::smoothing: return smooth_layers(modifier);
    case ClassKind::magnitude_pruning:
    case ClassKind::constant_pruning:
    case ClassKind::legacy_quantization:
    case ClassKind::distillation:
    case ClassKind::opaque: break;
  }
  return {};
}

}  // namespace sparsecfg::dialect::sparseml::staged
