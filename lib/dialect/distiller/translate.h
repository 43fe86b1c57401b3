#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dialect/distiller/parameter_names.h"
#include "dialect/distiller/write.h"
#include "dialect/foreign.h"

namespace sparsecfg::dialect::distiller {

// A recipe of another dialect on its way to a schedule of Distiller's.
struct Translation {
  const ir::Recipe& recipe;
  const WriteOptions& options;
  diag::Sink& sink;
  ParameterNames parameters;
  std::size_t maskers = 0;  // actions that mask anything
  Draft out;
  std::size_t updates_left = kMaxUpdatesOfAll;
};

[[nodiscard]] source::Value whole_number(double value);

// Returns why no pruner of Distiller's does what this one does; nullopt if one does.
[[nodiscard]] std::optional<std::string> obstacle(const ir::Prune& prune);

// Adds the pruners and policies that do what a pruner does, or says in its status why there are none.
void translate_pruner(Translation& translation, std::size_t index, const ir::Prune& prune);

// Adds one pruner that keeps all zeros that the recipe keeps without pruning any weight itself.
void hold_masks(Translation& translation);

// Say how the training script does what a schedule of Distiller's does not hold, or why it can't.
void place_length(Translation& translation, std::size_t index);
void place_teacher(Translation& translation, std::size_t index, const ir::Distill& distill);
void place_quantization(Translation& translation, std::size_t index, const ir::Quantize& quantize);
void place_weight_decay(Translation& translation, std::size_t index, const ir::SetWeightDecay& decay);
void place_trainable(Translation& translation, std::size_t index, const ir::SetTrainable& trainable);

}  // namespace sparsecfg::dialect::distiller
