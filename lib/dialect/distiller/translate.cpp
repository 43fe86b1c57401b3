#include <algorithm>

#include "base/number.h"
#include "base/overloaded.h"
#include "dialect/distiller/translate.h"
#include "dialect/write.h"

// Translates actions of other dialects (docs/semantics/conversions.md#a1, in the opposite direction).
namespace sparsecfg::dialect::distiller {

using source::Value;

Value whole_number(double value) { return {base::whole_part(value), {}}; }

static void translate_unknown(Translation& to, std::size_t index) {
  const ir::Action& action = to.recipe.actions[index];
  if (to.options.plan.of(index).does_nothing) {
    to.out.statuses[index].reason = "not needed: it masks no parameters";
  } else {
    drop(to.out.statuses[index], action, "Distiller does not support this action", to.sink);
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
            drop(to.out.statuses[index], action, "Distiller does not support this action", to.sink);
          },
      },
      action.effect);
}

// Drops all remaining actions, since a schedule without policies is empty.
static void drop_rest(Translation& to) {
  for (ActionStatus& status : to.out.statuses) {
    if (status.kind != ActionStatus::Kind::dropped && status.kind != ActionStatus::Kind::not_converted) {
      drop(status, to.recipe.actions[status.action], "the schedule would be without policies", to.sink);
    }
  }
}

static void add_notes(Draft& out) {
  out.notes.emplace_back(
      "Distiller rounds the number of pruned weights down, so a tensor may lose one weight more or less");
  out.notes.emplace_back("Distiller does not mask gradients, and ignores names that are not in the model");
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
