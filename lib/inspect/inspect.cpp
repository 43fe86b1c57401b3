#include "inspect/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/clock.h"
#include "ir/describe.h"

namespace sparsecfg::inspect {

using ir::Action;

static Pruning pruning_of(const Action& action, const ir::Prune* prune) {
  Pruning out{ir::numbered_name(action.origin), {}, {}, {}};
  if (!action.cadence.is<ir::Counted>()) {
    out.start = std::max(0.0, action.cadence.start.value);
    if (action.cadence.ends()) out.end = action.cadence.end.value;
  }
  for (std::size_t at = 0; prune != nullptr && at < prune->targets.size(); ++at) {
    out.sparsities.push_back(prune->targets[at].sparsity.value);
  }
  return out;
}

static std::optional<double> epoch_of(const std::optional<source::Located<double>>& epoch) {
  return epoch ? std::optional(epoch->value) : std::nullopt;
}

// Returns the bit widths by tensor, then those of layers with other widths.
static std::vector<std::string> bits_of(const ir::Quantize& quantize) {
  std::vector<std::string> out;
  for (const ir::Grid& grid : quantize.grids) out.push_back(fmt::format("{}: {}", grid.tensor, grid.bits));
  for (std::size_t at = 0; at < std::min(quantize.layers.size(), quantize.layer_grids.size()); ++at) {
    const auto& grids = quantize.layer_grids[at];
    if (grids.empty() || grids == quantize.grids) continue;
    out.push_back(fmt::format("{}: {}", ir::selector_text(quantize.layers[at]), grids.front().bits));
  }
  return out;
}

static Quantizing quantizing_of(const Action& action, const ir::Quantize& quantize) {
  Quantizing out{
      ir::numbered_name(action.origin), {}, epoch_of(quantize.observers_off), epoch_of(quantize.batch_norm_frozen)};
  if (!action.cadence.is<ir::Counted>()) out.start = std::max(0.0, action.cadence.start.value);
  out.bits = bits_of(quantize);
  return out;
}

static Freezing freezing_of(const Action& action, const ir::SetTrainable& trainable) {
  Freezing out{ir::numbered_name(action.origin),
               ir::selector_text(trainable.selector),
               std::max(0.0, action.cadence.start.value),
               {}};
  if (action.cadence.ends()) out.end = action.cadence.end.value;
  return out;
}

std::optional<double> Facts::quantizes_from() const {
  std::optional<double> first;
  for (const Quantizing& each : quantizes) {
    if (each.start) first = std::min(*each.start, first.value_or(*each.start));
  }
  return first;
}

static bool is_assignment(const ir::Operation& operation) { return std::holds_alternative<ir::Assign>(operation); }

static void add(const Action& action, Facts& facts) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  if (prune != nullptr || std::holds_alternative<ir::ThresholdPrune>(action.effect)) {
    facts.prunes.push_back(pruning_of(action, prune));
  }
  if (const auto* quantize = std::get_if<ir::Quantize>(&action.effect)) {
    facts.quantizes.push_back(quantizing_of(action, *quantize));
  } else if (std::ranges::any_of(action.operations, is_assignment)) {
    facts.quantizes.push_back(quantizing_of(action, {}));
  }
  if (const auto* trainable = std::get_if<ir::SetTrainable>(&action.effect); trainable && !trainable->trainable) {
    facts.freezes.push_back(freezing_of(action, *trainable));
  }
  facts.distills = facts.distills || std::holds_alternative<ir::Distill>(action.effect);
  facts.controls_lr = facts.controls_lr || ir::moves_learning_rate(action.effect);
}

// Returns true if the recipe sets a rate at the first step, so the rate of the script is never used.
static bool sets_first_rate(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const Action& action) {
    const auto* scheduler = std::get_if<ir::TorchScheduler>(&action.effect);
    const bool sets = std::holds_alternative<ir::SetLearningRate>(action.effect) ||
                      std::holds_alternative<ir::LearningRateCurve>(action.effect) ||
                      (scheduler != nullptr && scheduler->initial_rate);
    return sets && action.cadence.start.value <= 0;
  });
}

static std::vector<std::string> needs_of(const ir::Recipe& recipe, const Facts& facts) {
  std::vector<std::string> needs;
  if (recipe.has_rates && !sets_first_rate(recipe)) needs.emplace_back("an initial learning rate");
  if (facts.distills) needs.emplace_back("a teacher model");
  const bool needs_data = std::ranges::any_of(recipe.actions, &Action::needs_data);
  if (!recipe.trains && needs_data) needs.emplace_back("calibration data");
  if (recipe.trains && !facts.epochs) needs.emplace_back("a number of epochs");
  return needs;
}

Facts gather(const ir::Recipe& recipe, std::optional<double> epochs, std::optional<std::size_t> steps_per_epoch) {
  Facts facts;
  facts.trains = recipe.trains;
  facts.epochs = epochs || !recipe.length ? epochs : std::optional(recipe.length->epochs);
  const auto steps = steps_per_epoch ? steps_per_epoch : recipe.steps_per_epoch;
  if (facts.epochs && steps) facts.steps = ir::steps_of(*facts.epochs, *steps);
  for (const Action& action : recipe.actions) {
    const std::size_t prunes = facts.prunes.size();
    add(action, facts);
    if (facts.prunes.size() > prunes)
      facts.prunes.back().index = static_cast<std::size_t>(&action - &recipe.actions[0]);
  }
  facts.needs = needs_of(recipe, facts);
  return facts;
}

}  // namespace sparsecfg::inspect
