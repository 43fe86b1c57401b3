#include "dialect/llmcompressor/lower.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/operations.h"
#include "dialect/llmcompressor/reached_layers.h"
#include "dialect/schemes/schemes.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the quantization by the groups of a modifier at `key`.
static ir::Effect quantize(const Quantization& quantization, source::Span key, const Modules* modules,
                           std::vector<Entry> emptied) {
  const auto& cache = quantization.kv_cache_scheme;
  std::vector<Entry> ignore = quantization.ignore.value_or({});
  std::ranges::move(emptied, std::back_inserter(ignore));
  return schemes::quantize(quantization.groups, ignore, key, modules,
                           cache.given() == nullptr ? std::nullopt : std::optional(cache.field()->key));
}

// Returns the entries of `targets`, with the classes that a token stands for.
static std::vector<Entry> targets_of_mask(const Modifier& modifier) {
  std::vector<Entry> out;
  for (const Entry& entry : modifier.targets()) {
    const bool quantizable = entry.text == "__ALL_QUANTIZABLE__";
    if (!quantizable && entry.text != "__ALL_PRUNABLE__") {
      out.push_back(entry);
      continue;
    }
    for (const std::string_view name : kPrunedClasses) {
      if (!quantizable || name != "Conv1d") out.push_back({std::string(name), entry.span});
    }
  }
  return out;
}

// Returns for each module whether the targets match it and `ignore` does not. Masks need modules with a weight.
static std::vector<bool> matched_modules(const Modifier& modifier, const std::vector<Entry>& targets,
                                         const Modules& modules) {
  const model::Matcher taking = matcher_of(targets);
  const model::Matcher ignored = matcher_of(modifier.ignore());
  const bool weights =
      std::ranges::any_of(modules, [](const model::Module& module) { return module.shape.has_value(); });
  std::vector<bool> out;
  for (const model::Module& module : modules) {
    out.push_back(taking.takes(module) && !ignored.takes(module) && (!weights || module.shape));
  }
  return out;
}

static model::Selector selector_by_name(const Modifier& modifier) {
  model::Selector selector{schemes::terms_of(targets_of_mask(modifier)), model::Selector::Over::modules, false};
  selector.excluded = schemes::terms_of(modifier.ignore());
  return selector;
}

static std::optional<model::Selector> pruned_names(const Modifier& modifier, const LayerPruning& pruning,
                                                   const Modules* modules) {
  if (modules != nullptr) {
    return selector_of(modifier.targets(), pruned_layers(pruning, *modules), *modules, modifier.key);
  }
  return pruning.iterates_letters() ? std::nullopt : std::optional(selector_by_name(modifier));
}

static std::optional<model::Selector> target_names(const Modifier& modifier, const Modules* modules) {
  if (modules == nullptr) {
    return selector_by_name(modifier);
  }
  const std::vector<Entry> targets = targets_of_mask(modifier);
  return selector_of(targets, matched_modules(modifier, targets, *modules), *modules, modifier.key);
}

static std::optional<model::Selector> rotated_names(const Modifier& modifier, const Quip& quip,
                                                    const Modules* modules) {
  const RotatedEntries entries = rotated_entries(modifier, quip);
  const bool rotates = quip.transform_config.given() != nullptr || !quip.rotations.value_or({}).empty();
  if (modules == nullptr) {
    model::Selector selector{schemes::terms_of(entries.targets), model::Selector::Over::modules, false};
    selector.excluded = schemes::terms_of(entries.ignored);
    return selector;
  }
  const model::Matcher taking = matcher_of(rotates ? entries.targets : Entries());
  const model::Matcher ignored = matcher_of(entries.ignored);
  std::vector<bool> matched;
  for (const model::Module& module : *modules) matched.push_back(taking.takes(module) && !ignored.takes(module));
  return selector_of(entries.targets, matched, *modules, modifier.key);
}

static std::optional<model::Selector> expert_names(const Modifier& modifier, const ExpertPruning& pruning,
                                                   const Modules* modules) {
  if (modules == nullptr) return std::nullopt;
  return selector_of({}, blocks_with_experts(pruning, *modules), *modules, modifier.key);
}

// Returns the names that a modifier changes, if it changes weights in a way that a schedule does not describe.
static std::optional<model::Selector> changed_names(const Modifier& modifier, const Modules* modules) {
  using Names = std::optional<model::Selector>;
  return std::visit(
      base::Overloaded{[](const Quantization&) -> Names { return {}; },
                       [&](const LayerPruning& pruning) { return pruned_names(modifier, pruning, modules); },
                       [&](const ExpertPruning& pruning) { return expert_names(modifier, pruning, modules); },
                       [&](const TrainingMask&) { return target_names(modifier, modules); },
                       [&](const Quip& quip) { return rotated_names(modifier, quip, modules); },
                       [](const SpinQuant&) -> Names { return {}; }, [](const Smoothing&) -> Names { return {}; },
                       [](const Awq&) -> Names { return {}; }, [](const Opaque&) -> Names { return {}; }},
      modifier.settings);
}

static ir::Effect effect_of(const Modifier& modifier, const Modules* modules, std::vector<Entry> emptied) {
  if (const auto* quantization = modifier.as<Quantization>()) {
    return quantize(*quantization, modifier.key, modules, std::move(emptied));
  }
  std::optional<model::Selector> names = changed_names(modifier, modules);
  return ir::Opaque{names && names->terms.empty() ? std::nullopt : std::move(names)};
}

static ir::Origin origin_of(const Modifier& modifier, Release release) {
  ir::Origin origin{std::string(modifier.spec->name),
                    modifier.ordinal,
                    modifier.stage,
                    modifier.group,
                    modifier.key,
                    {},
                    to_string(release)};
  for (const Field& field : modifier.fields) {
    origin.fields.push_back({field.name, field.key, field.value, false});
  }
  return origin;
}

ir::Action lower(const Modifier& modifier, const Modules* modules, Release release, std::vector<Entry> emptied) {
  ir::Action out{effect_of(modifier, modules, std::move(emptied)), ir::Cadence{}, origin_of(modifier, release),
                 modifier.valid, modifier.needs_calibration()};
  out.operations = operations_of(modifier, out.origin, modules, release);
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
