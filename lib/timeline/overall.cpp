#include "timeline/overall.h"

#include <algorithm>

namespace sparsecfg::timeline {

static bool selects_modules(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    return prune != nullptr && std::ranges::any_of(prune->targets, [](const ir::Target& target) {
             return target.selector.over == model::Selector::Over::modules;
           });
  });
}

// Returns true if all weights have known shapes. Weights are the names that a selector matches and, among parameters,
// the names that end in `weight`.
static bool knows_all_shapes(const model::ModelNames& names, const std::vector<std::vector<ir::Claim>>& claims,
                             bool modules) {
  for (std::size_t at = 0; at < names.size(); ++at) {
    const bool weight = !claims[at].empty() || (!modules && names[at].ends_with("weight"));
    if (weight && names.shape(at) == nullptr) return false;
  }
  return true;
}

static bool masks(const ir::Effect& effect) {
  return std::holds_alternative<ir::Prune>(effect) || std::holds_alternative<ir::ThresholdPrune>(effect) ||
         std::holds_alternative<ir::HoldMask>(effect);
}

// Returns by action which of its selectors apply to weights masked at that time. For a module, its weight counts.
static std::vector<std::vector<bool>> maskers_of(const ir::Recipe& recipe) {
  std::vector<std::vector<bool>> maskers;
  for (const ir::Action& action : recipe.actions) {
    std::vector<bool>& row = maskers.emplace_back();
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      row.push_back(masks(action.effect) && (selector->tensor.empty() || selector->tensor == "weight"));
    }
  }
  return maskers;
}

Overall::Overall(const ir::Recipe& recipe, const Run& run, const Evaluator& evaluator)
    : recipe_(recipe), shares_(recipe.actions.size()) {
  const bool modules = selects_modules(recipe);
  const model::ModelNames* names = modules ? run.modules : run.parameters;
  if (names == nullptr || !names->has_shapes()) {
    return;
  }
  auto claims =
      ir::claims_on(recipe, *names, modules ? model::Selector::Over::modules : model::Selector::Over::parameters);
  if (!claims) {
    return;
  }
  const auto maskers = maskers_of(recipe);
  for (auto& each : *claims) {
    std::erase_if(each,
                  [&](const ir::Claim& claim) { return !claim.decides || !maskers[claim.action][claim.selector]; });
  }
  if (!knows_all_shapes(*names, *claims, modules)) {
    return;
  }
  for (const Column& column : evaluator.columns()) {
    tracks_.emplace(std::pair(column.action, column.target), column.track);
  }
  for (std::size_t at = 0; at < names->size(); ++at) {
    add(*names, at, (*claims)[at]);
  }
}

void Overall::add(const model::ModelNames& names, std::size_t at, const std::vector<ir::Claim>& claims) {
  const model::Shape* shape = names.shape(at);
  if (shape == nullptr || (shape->size() < 2 && claims.empty())) {
    return;
  }
  const std::uint64_t elements = model::elements_of(*shape).value_or(0);
  elements_ += elements;
  if (!claims.empty()) {
    groups_[group_of(claims)].elements += elements;
  }
}

std::size_t Overall::group_of(const std::vector<ir::Claim>& claims) {
  Key key;
  for (const ir::Claim& claim : claims) {
    key.emplace_back(claim.action, claim.selector);
  }
  const auto [found, is_new] = numbers_.try_emplace(key, groups_.size());
  if (is_new) {
    groups_.emplace_back();
    for (const auto& target : key) {
      const auto track = tracks_.find(target);
      shares_[target.first].push_back(
          {found->second, track == tracks_.end() ? std::nullopt : std::optional(track->second)});
    }
  }
  return found->second;
}

// Held zeros come from an earlier pruner or from the initial model. Weights that are no longer masked become dense
// again.
void Overall::apply(const Event& event, const Share& share, const Evaluator& evaluator) {
  Group& group = groups_[share.group];
  const ir::Effect& effect = recipe_.actions[event.action].effect;
  if (std::holds_alternative<ir::HoldMask>(effect)) {
    group.sparsity = group.touched ? group.sparsity : std::nullopt;
  } else {
    group.sparsity = share.track ? evaluator.sparsities()[*share.track] : std::nullopt;
  }
  const auto* prune = std::get_if<ir::Prune>(&effect);
  if (prune != nullptr && event.kind == Event::Kind::end && !prune->hold_after_end) {
    group.sparsity.reset();
  }
  group.touched = true;
}

void Overall::follow(const Evaluator& evaluator) {
  for (const Event& event : evaluator.events()) {
    for (const Share& share : shares_[event.action]) {
      apply(event, share, evaluator);
    }
  }
}

std::optional<double> Overall::value() const {
  double zeros = 0;
  for (const Group& group : groups_) {
    if (!group.sparsity) return std::nullopt;
    zeros += *group.sparsity * static_cast<double>(group.elements);
  }
  return zeros / static_cast<double>(elements_);
}

}  // namespace sparsecfg::timeline
