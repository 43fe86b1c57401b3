#include <algorithm>
#include <cmath>

#include "dialect/distiller/translate.h"
#include "dialect/write.h"

// Translates masks that are kept but not created.
namespace sparsecfg::dialect::distiller {

using source::Value;

// Returns true if a pruner that has already ended has permanently masked the same parameters.
static bool is_kept_by_pruner(const ir::Recipe& recipe, const ir::Action& action, const ir::HoldMask& hold) {
  return std::ranges::any_of(recipe.actions, [&](const ir::Action& other) {
    const auto* prune = std::get_if<ir::Prune>(&other.effect);
    const bool over = other.cadence.end.value <= action.cadence.start.value;
    return prune != nullptr && over && prune->hold_after_end && !obstacle(*prune) && prune->targets.size() == 1 &&
           prune->targets.front().selector == hold.selector;
  });
}

// The parameters whose zeros an action keeps, and the first epoch in which it does.
struct KeptParameters {
  source::List names;
  double first = 0;
};

// Returns nullopt and sets the status if Distiller keeps the zeros anyway, or can't keep them.
static std::optional<KeptParameters> kept_parameters(Translation& to, std::size_t index, const ir::HoldMask& hold) {
  const ir::Action& action = to.recipe.actions[index];
  ActionStatus& status = to.out.statuses[index];
  const double start = action.cadence.start.value;
  if (start > 0 && is_kept_by_pruner(to.recipe, action, hold)) {
    status.reason = "Distiller keeps the masks of earlier pruners anyway";
    return std::nullopt;
  }
  if (start > 0 && to.maskers > 1) {
    drop(status, action, "a later start would remove the masks of other pruners in Distiller", to.sink);
    return std::nullopt;
  }
  const double first = std::ceil(std::max(start, 0.0));
  if (first != start && first > 0) {
    approximate(status, action, "Distiller prunes only at the start of an epoch", to.sink);
  }
  const ir::Prune as_prune{ir::Constant{}, {{{0, {}}, hold.selector}}, {}, "magnitude"};
  const auto names = to.parameters.names_of(action, as_prune, status);
  return KeptParameters{names ? names->front() : source::List(), first};
}

// Each pruner sets the mask of every parameter. For parameters without a name the threshold removes nothing. So a
// single pruner holds all masks; it acts once, at the start, before the others.
void hold_masks(Translation& to) {
  source::Map thresholds;
  double first = 0;
  for (std::size_t index = 0; index < to.recipe.actions.size(); ++index) {
    const auto* hold = std::get_if<ir::HoldMask>(&to.recipe.actions[index].effect);
    const auto held = hold == nullptr ? std::nullopt : kept_parameters(to, index, *hold);
    for (const Value& name : held ? held->names : source::List()) {
      thresholds.emplace_back(name, Value{0.0, {}});
    }
    first = held ? held->first : first;
  }
  if (!thresholds.empty()) {
    thresholds.emplace_back(word("*"), Value{-1.0, {}});
    to.out.components.push_back({Section::pruners,
                                 "keep_zeros",
                                 "MagnitudeParameterPruner",
                                 {{word("thresholds"), {std::move(thresholds), {}}}}});
    to.out.policies.push_back(
        {Section::pruners, "keep_zeros", {}, {{word("epochs"), {source::List{whole_number(first)}, {}}}}});
  }
}

}  // namespace sparsecfg::dialect::distiller
