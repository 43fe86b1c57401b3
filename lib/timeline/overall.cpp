#include "timeline/overall.h"

#include <algorithm>

namespace sparsecfg::timeline {

static bool selects_modules(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    return prune != nullptr && std::ranges::any_of(prune->targets, [](const ir::Target& target) {
             return target.selector.over == ir::Selector::Over::modules;
           });
  });
}

// What a model's modules lack is no weight; what a parameter lacks may be one.
static bool tells_all_shapes(const ir::Names& names, const std::vector<std::vector<ir::Claim>>& claims, bool modules) {
  for (std::size_t at = 0; at < names.size(); ++at) {
    const bool weight = !claims[at].empty() || (!modules && names[at].ends_with("weight"));
    if (weight && names.shape(at) == nullptr) return false;
  }
  return true;
}

Overall::Overall(const ir::Recipe& recipe, const Run& run, const Evaluator& evaluator) : recipe_(recipe), shares_(recipe.actions.size()) {
  const bool modules = selects_modules(recipe);
  const ir::Names* names = modules ? run.modules : run.parameters;
  if (names == nullptr || !names->has_shapes()) {
    return;
  }
  auto claims = ir::claims_on(recipe, *names, modules ? ir::Selector::Over::modules : ir::Selector::Over::parameters);
  for (auto& each : claims) {
    std::erase_if(each, [&](const ir::Claim& claim) { return !masks(claim); });
  }
  if (!tells_all_shapes(*names, claims, modules)) {
    return;
  }
  for (std::size_t at = 0; at < names->size(); ++at) {
    add(*names, at, claims[at], evaluator);
  }
}

// Of a module it is the weight that counts.
bool Overall::masks(const ir::Claim& claim) const {
  const ir::Effect& effect = recipe_.actions[claim.action].effect;
  const ir::Selector& selector = *ir::selectors_of(effect)[claim.selector];
  const bool weight = selector.tensor.empty() || selector.tensor == "weight";
  return weight && claim.decides &&
         (std::holds_alternative<ir::Prune>(effect) || std::holds_alternative<ir::ThresholdPrune>(effect) || std::holds_alternative<ir::HoldMask>(effect));
}

void Overall::add(const ir::Names& names, std::size_t at, const std::vector<ir::Claim>& claims, const Evaluator& evaluator) {
  const source::Shape* shape = names.shape(at);
  if (shape == nullptr || (shape->size() < 2 && claims.empty())) {
    return;
  }
  const std::uint64_t elements = source::elements_of(*shape).value_or(0);
  elements_ += elements;
  if (!claims.empty()) {
    groups_[group_of(claims, evaluator)].elements += elements;
  }
}

std::size_t Overall::group_of(const std::vector<ir::Claim>& claims, const Evaluator& evaluator) {
  Key key;
  for (const ir::Claim& claim : claims) {
    key.emplace_back(claim.action, claim.selector);
  }
  const auto [found, is_new] = numbers_.try_emplace(key, groups_.size());
  if (is_new) {
    groups_.emplace_back();
    for (const auto& [action, target] : key) {
      const auto column = std::ranges::find_if(evaluator.columns(), [action = action, target = target](const Column& each) {
        return each.action == action && each.target == target;
      });
      const bool numbered = column != evaluator.columns().end();
      shares_[action].push_back({found->second, numbered ? std::optional(column->track) : std::nullopt});
    }
  }
  return found->second;
}

// Zeros that are held are those of an earlier pruner, or ones that the model came with. What is no
// longer masked grows again.
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
