#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/limits.h"
#include "dialect/distiller/parameter_names.h"
#include "dialect/distiller/write.h"
#include "dialect/write.h"
#include "ir/sparsity.h"

namespace sparsecfg::dialect::distiller {

// State of the translation of another dialect's recipe to a Distiller schedule.
struct Translation {
  const ir::Recipe& recipe;
  const WriteOptions& options;
  diag::Sink& sink;
  ParameterNames parameters;
  std::size_t maskers = 0;  // number of actions that apply masks
  Draft out;
  std::size_t updates_left = limits::kMaxUpdatesPerRecipe;
};

[[nodiscard]] source::Value whole_number(double value);

// Returns the reason why no Distiller pruner is equivalent to this one; nullopt if there is one.
[[nodiscard]] std::optional<std::string> obstacle(const ir::Prune& prune);

// Adds equivalent pruners and policies, or sets the reason in the status.
void translate_pruner(Translation& translation, std::size_t index, const ir::Prune& prune);

// Adds one pruner that keeps all zeros that the recipe keeps without pruning.
void hold_masks(Translation& translation);

// These functions add an instruction for the training script, or drop the action with a reason.
void place_length(Translation& translation, std::size_t index);
void place_teacher(Translation& translation, std::size_t index, const ir::Distill& distill);
void place_quantization(Translation& translation, std::size_t index, const ir::Quantize& quantize);
void place_weight_decay(Translation& translation, std::size_t index, const ir::SetWeightDecay& decay);
void place_trainable(Translation& translation, std::size_t index, const ir::SetTrainable& trainable);

}  // namespace sparsecfg::dialect::distiller
