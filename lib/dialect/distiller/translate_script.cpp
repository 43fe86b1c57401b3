#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "dialect/distiller/translate.h"
#include "dialect/write.h"

// Adds instructions for settings that belong to the training script, not to the schedule.
namespace sparsecfg::dialect::distiller {

static void place(Translation& to, std::size_t index, std::string what) {
  mark_not_converted(to.out.statuses[index], to.recipe.actions[index], "Distiller", std::move(what), to.sink);
}

// Returns true if an action is in force for the whole training.
static bool lasts(const Translation& to, std::size_t index) {
  const ir::Cadence& cadence = to.recipe.actions[index].cadence;
  const bool ends = cadence.end.value < to.options.epochs.value_or(0);
  return cadence.start.value <= 0 && !ends;
}

void place_length(Translation& to, std::size_t index) {
  place(to, index,
        fmt::format("pass the training length to the script with `--epochs {}`",
                    std::ceil(to.options.epochs.value_or(0))));
}

void place_teacher(Translation& to, std::size_t index, const ir::Distill& distill) {
  if (distill.per_layer || !lasts(to, index)) {
    drop(to.out.statuses[index], to.recipe.actions[index], "Distiller distills only outputs, until the end of training",
         to.sink);
    return;
  }
  const double hardness = distill.hardness ? distill.hardness->value : 0.5;
  place(to, index,
        fmt::format("pass the teacher to the script with `--kd-teacher ... --kd-temp {} --kd-distill-wt "
                    "{} --kd-student-wt {}`",
                    distill.temperature ? distill.temperature->value : 2.0, hardness, 1 - hardness));
}

static const ir::Grid* grid_of(const ir::Quantize& quantize, std::string_view tensor) {
  const auto found = std::ranges::find(quantize.grids, tensor, &ir::Grid::tensor);
  return found == quantize.grids.end() ? nullptr : &*found;
}

// Returns the command-line options with which Distiller quantizes a trained model. `values` is null if activations are
// not quantized.
static std::string quantizing_call(const ir::Grid& weights, const ir::Grid* values) {
  const auto mode = [](const ir::Grid& grid) { return grid.symmetric ? "sym" : "asym_s"; };
  std::string call = fmt::format("`--evaluate --quantize-eval --qe-bits-wts {} --qe-mode-wts {} --qe-bits-acts {}",
                                 weights.bits, mode(weights), values == nullptr ? 0 : values->bits);
  call += values == nullptr ? "" : fmt::format(" --qe-mode-acts {}", mode(*values));
  return call + (weights.by_channel ? " --qe-per-channel`" : "`");
}

// Distiller does not support a quantizer together with a pruner. Its command line can quantize the trained model.
void place_quantization(Translation& to, std::size_t index, const ir::Quantize& quantize) {
  const ir::Action& action = to.recipe.actions[index];
  const ir::Grid* weights = grid_of(quantize, "weights");
  const ir::Grid* inputs = grid_of(quantize, "inputs");
  const ir::Grid* values = inputs == nullptr ? grid_of(quantize, "outputs") : inputs;
  if (weights == nullptr || to.maskers == 0) {
    drop(to.out.statuses[index], action, "Distiller uses a different quantization method", to.sink);
    return;
  }
  approximate(to.out.statuses[index], action,
              "Distiller does not combine pruning with quantization-aware training: quantize after training", to.sink);
  if (!quantize.overrides.is_null() || !quantize.ignored.is_null()) {
    approximate(to.out.statuses[index], action, "settings for individual layers are not converted", to.sink);
  }
  to.out.instructions.push_back("quantize after training with " + quantizing_call(*weights, values));
}

void place_weight_decay(Translation& to, std::size_t index, const ir::SetWeightDecay& decay) {
  const auto decays = std::ranges::count_if(to.recipe.actions, [](const ir::Action& action) {
    return std::holds_alternative<ir::SetWeightDecay>(action.effect);
  });
  if (decays > 1 || to.recipe.actions[index].cadence.start.value > 0 || !decay.groups.empty()) {
    drop(to.out.statuses[index], to.recipe.actions[index], "Distiller has a single weight decay for the whole training",
         to.sink);
    return;
  }
  place(to, index,
        fmt::format("pass the weight decay to the script with `--wd {}`", base::python_repr(decay.decay.value)));
}

void place_trainable(Translation& to, std::size_t index, const ir::SetTrainable& trainable) {
  if (!lasts(to, index)) {
    drop(to.out.statuses[index], to.recipe.actions[index], "Distiller schedules cannot freeze parameters", to.sink);
    return;
  }
  place(to, index,
        fmt::format("set `requires_grad = {}` for these parameters in the training script",
                    trainable.trainable ? "True" : "False"));
}

}  // namespace sparsecfg::dialect::distiller
