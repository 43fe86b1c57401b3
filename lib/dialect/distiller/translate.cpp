#include <algorithm>

#include "base/number.h"
#include "base/overloaded.h"
#include "dialect/distiller/translate.h"
#include "dialect/foreign.h"

// What other dialects' actions become (reference/distiller-to-sparseml.md, read backwards).
namespace sparsecfg::dialect::distiller {

using source::Value;

Value whole_number(double value) { return {base::whole_part(value), {}}; }

static void translate_unknown(Translation& to, std::size_t index) {
  const ir::Action& action = to.recipe.actions[index];
  if (masks_nothing(to.recipe, action)) {
    to.out.statuses[index].reason = "it masks nothing; it is left out";
  } else {
    drop(to.out.statuses[index], action, "Distiller has no counterpart", to.sink);
  }
}

static void translate(Translation& to, std::size_t index) {
  const ir::Action& action = to.recipe.actions[index];
  std::visit(
      base::Overloaded{
          [&](const ir::Prune& prune) { translate_pruner(to, index, prune); },
          [&](const ir::EpochRange&) { place_length(to, index); },
          [&](const base::AnyOf<ir::SetLearningRate, ir::LearningRateCurve, ir::TorchScheduler> auto&) {
          },                            // add_rates()
          [&](const ir::HoldMask&) {},  // hold_masks()
          [&](const ir::Quantize& quantize) { place_quantization(to, index, quantize); },
          [&](const ir::Distill& distill) { place_teacher(to, index, distill); },
          [&](const ir::SetWeightDecay& decay) { place_weight_decay(to, index, decay); },
          [&](const ir::SetTrainable& trainable) { place_trainable(to, index, trainable); },
          [&](const ir::Opaque&) { translate_unknown(to, index); },
          [&](const base::AnyOf<ir::SetParameter, ir::EpochScheduler, ir::ThresholdPrune, ir::Regularize> auto&) {
            drop(to.out.statuses[index], action, "Distiller has no counterpart", to.sink);
          },
      },
      action.effect);
}

// Without a policy nothing of the recipe is left.
static void drop_rest(Translation& to) {
  for (ActionStatus& status : to.out.statuses) {
    if (status.kind != ActionStatus::Kind::dropped && status.kind != ActionStatus::Kind::elsewhere) {
      drop(status, to.recipe.actions[status.action], "no policy is left that the schedule could hold", to.sink);
    }
  }
}

static void add_notes(Draft& out) {
  out.notes.emplace_back(
      "Distiller cuts the number of weights down to a whole one, so a tensor may lose one more or one less");
  out.notes.emplace_back("Distiller does not mask gradients, and passes over names that are not in the model");
}

Draft translate(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  Translation to{recipe, options, sink, ParameterNames(options, sink), 0, {}};
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    to.out.statuses.push_back({index, ActionStatus::Kind::kept, "", {}});
    to.maskers += ir::makes_masks(recipe.actions[index].effect) ? 1 : 0;
  }
  hold_masks(to);
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    translate(to, index);
  }
  add_rates(to.out, recipe, options, sink);
  if (to.out.policies.empty()) {
    drop_rest(to);
  } else {
    add_notes(to.out);
  }
  return std::move(to.out);
}

}  // namespace sparsecfg::dialect::distiller
