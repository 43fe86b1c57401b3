#include "dialect/llmcompressor/lower.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reached_layers.h"
#include "dialect/schemes/schemes.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// Returns the quantization by the groups of a modifier.
static ir::Effect quantize(const Modifier& modifier, const Modules* modules, std::vector<Entry> emptied) {
  const Value* cache = modifier.given("kv_cache_scheme");
  std::vector<Entry> ignore = entries_of(modifier, "ignore");
  std::ranges::move(emptied, std::back_inserter(ignore));
  return schemes::quantize(groups_of(modifier), ignore, modifier.key, modules,
                           cache == nullptr ? std::nullopt : std::optional(modifier.find("kv_cache_scheme")->key));
}

// Returns the entries of `targets`, with the classes that a token stands for.
static std::vector<Entry> targets_of_mask(const Modifier& modifier) {
  std::vector<Entry> out;
  for (const Entry& entry : entries_of(modifier, "targets")) {
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
  const bool rotates = meaning_of(modifier) != Meaning::quip || modifier.find("rotations") == nullptr ||
                       !entries_of(modifier, "rotations").empty();
  const model::Matcher taking = matcher_of(rotates ? targets : std::vector<Entry>());
  const model::Matcher ignored = matcher_of(entries_of(modifier, "ignore"));
  const bool weights =
      meaning_of(modifier) != Meaning::quip &&
      std::ranges::any_of(modules, [](const model::Module& module) { return module.shape.has_value(); });
  std::vector<bool> out;
  for (const model::Module& module : modules) {
    out.push_back(taking.takes(module) && !ignored.takes(module) && (!weights || module.shape));
  }
  return out;
}

static std::optional<model::Selector> selector_in(const Modifier& modifier, const Modules& modules) {
  const Meaning meaning = meaning_of(modifier);
  if (meaning == Meaning::reap) return selector_of({}, blocks_with_experts(modifier, modules), modules, modifier.key);
  if (prunes_layers(modifier)) {
    return selector_of(entries_of(modifier, "targets"), pruned_layers(modifier, modules), modules, modifier.key);
  }
  if (modifier.spec->find("targets") == nullptr) return std::nullopt;
  const std::vector<Entry> targets = targets_of_mask(modifier);
  return selector_of(targets, matched_modules(modifier, targets, modules), modules, modifier.key);
}

static std::optional<model::Selector> selector_by_name(const Modifier& modifier) {
  const Value* targets = modifier.given("targets");
  const bool letters = prunes_layers(modifier) && targets != nullptr && targets->get<std::string>() != nullptr;
  if (modifier.spec->find("targets") == nullptr || letters) {
    return std::nullopt;
  }
  model::Selector selector{schemes::terms_of(targets_of_mask(modifier)), model::Selector::Over::modules, false};
  selector.excluded = schemes::terms_of(entries_of(modifier, "ignore"));
  return selector;
}

static ir::Effect effect_of(const Modifier& modifier, const Modules* modules, std::vector<Entry> emptied) {
  if (quantizes(modifier)) {
    return quantize(modifier, modules, std::move(emptied));
  }
  std::optional<model::Selector> selector =
      modules == nullptr ? selector_by_name(modifier) : selector_in(modifier, *modules);
  return ir::Opaque{selector && selector->terms.empty() ? std::nullopt : std::move(selector)};
}

static ir::Origin origin_of(const Modifier& modifier) {
  ir::Origin origin{
      std::string(modifier.spec->name), modifier.ordinal, modifier.stage, modifier.group, modifier.key, {}};
  for (const Field& field : modifier.fields) {
    origin.fields.push_back({field.name, field.key, field.value, false});
  }
  return origin;
}

ir::Action lower(const Modifier& modifier, const Modules* modules, std::vector<Entry> emptied) {
  return {effect_of(modifier, modules, std::move(emptied)), ir::Cadence{}, origin_of(modifier), modifier.valid,
          needs_calibration(modifier)};
}

}  // namespace sparsecfg::dialect::llmcompressor
