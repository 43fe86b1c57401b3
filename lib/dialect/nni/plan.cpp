#include <algorithm>

#include "base/text.h"
#include "dialect/nni/write.h"

// Facts about NNI entries that writers of other dialects need.
namespace sparsecfg::dialect::nni {

using source::Value;

// Returns the settings of an entry by target, or null.
static const source::Map* targets_of(const ir::Origin& origin) {
  const ir::OriginField* settings = origin.find("target_settings");
  return settings == nullptr ? nullptr : settings->value.get<source::Map>();
}

static bool any_target(const ir::Origin& origin, const auto& holds) {
  const auto* targets = targets_of(origin);
  return targets != nullptr &&
         std::ranges::any_of(*targets, [&](const source::Entry& target) { return holds(target.second); });
}

// Returns true if an entry lacks a sparsity and does not align to another mask.
static bool does_nothing(const ir::Action& action) {
  return std::holds_alternative<ir::Opaque>(action.effect) && action.origin.find("align") == nullptr &&
         !any_target(action.origin, [](const Value& target) { return target.find("align") != nullptr; });
}

// NNI masks biases along with weights, unless `target_names` omits them.
static bool masks_biases(const ir::Origin& origin) {
  const ir::OriginField* tensors = origin.find("target_names");
  const auto* names = tensors == nullptr ? nullptr : tensors->value.get<source::List>();
  return names == nullptr || names->empty() ||
         std::ranges::find(*names, Value{std::string("bias"), {}}) != names->end();
}

// Returns true if an entry or one of its targets sets a key to a value that changes its masks.
static bool sets(const ir::Origin& origin, std::string_view key, std::string_view harmless) {
  const auto differs = [&](const Value* value) {
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    return value != nullptr && !value->is_null() && (text == nullptr || *text != harmless);
  };
  const ir::OriginField* own = origin.find(key);
  return any_target(origin, [&](const Value& target) { return differs(target.find(key)); }) ||
         (own != nullptr && differs(&own->value));
}

static ActionPlan plan_of_entry(const ir::Action& action) {
  ActionPlan out;
  out.does_nothing = does_nothing(action);
  out.masks_biases = masks_biases(action.origin);
  out.assumes_class = action.origin.class_name == "config_list";
  out.fuses_layers = action.origin.find("fuse_names") != nullptr;
  for (const auto& [key, harmless] : {std::pair{"apply_method", "mul"}, {"internal_metric_block", ""}}) {
    if (sets(action.origin, key, harmless)) {
      out.lost.push_back({key, action.origin.span, std::string("`") + key + "` is dropped"});
    }
  }
  return out;
}

Plan plan(const ir::Recipe& recipe) {
  Plan out;
  out.selects_layers = true;
  std::ranges::transform(recipe.actions, std::back_inserter(out.actions), plan_of_entry);
  return out;
}

}  // namespace sparsecfg::dialect::nni
