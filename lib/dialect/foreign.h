#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "ir/recipe.h"

// Helpers for writing actions that come from other dialects.
namespace sparsecfg::dialect {

// Progress of a ramp: 0 % at step `begin`, 100 % at step `last`, updated every `every` steps.
struct UpdateRamp {
  std::uint64_t begin = 0;
  std::uint64_t every = 1;
  std::uint64_t last = 0;
  bool at_once = false;  // true if the only update is the last one
};

// Converts counted updates to a ramp. Returns nullopt if there are no updates, or if the ramp is cut at either end.
[[nodiscard]] std::optional<UpdateRamp> as_update_ramp(const ir::StepSchedule& counted);

// Returns true if an NNI entry has no sparsity and aligns to no other mask.
[[nodiscard]] bool has_no_mask(const ir::Recipe& recipe, const ir::Action& action);

// Returns true if an NNI entry comes from a list without a compressor class.
[[nodiscard]] bool names_no_class(const ir::Recipe& recipe, const ir::Action& action);

// Returns true if quantization applies only to the layers that an action names.
[[nodiscard]] bool selects_layers(const ir::Recipe& recipe);

// Describes the penalty term that the training script must add to the loss, with weights and epochs. Returns nullopt
// if the action also sets masks, or if no line of Python expresses the penalty.
[[nodiscard]] std::optional<std::string> penalty_in_script(const ir::Action& action, const ir::Regularize& penalty);

// Reports a difference that the comparison of values may not show, and records it in the status.
void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason, diag::Sink& sink);

// Returns true if an action counts steps and the number of steps per epoch is unknown.
[[nodiscard]] bool counts_unknown_steps(const ir::Action& action, const WriteOptions& options);

// Drops an action because it counts `from` ("steps"), the target counts `to` ("epochs"), and the number of steps per
// epoch is unknown.
void drop_without_steps(ActionStatus& status, const ir::Action& action, std::string_view from, std::string_view to,
                        diag::Sink& sink);

// Reports parts of an NNI action that `system` ("SparseML") does not support: bounds of ratios, masks of biases, and an
// update after the last step of the run.
void report_unsupported_nni_parts(const ir::Recipe& recipe, const ir::Action& action, const ir::Prune& prune,
                                  const WriteOptions& options, std::string_view system, ActionStatus& status,
                                  diag::Sink& sink);

// Returns true if a Distiller policy removes its masks again, either after each batch or at the end because they apply
// only to the forward pass.
[[nodiscard]] bool discards_masks(const ir::Action& action);

// Returns true if a target selects modules but not their weights, for example only their biases.
[[nodiscard]] bool omits_weights(const ir::Prune& prune);

// Returns true if a PyTorch scheduler changes the momentum together with the learning rate. CyclicLR and OneCycleLR do
// so unless `cycle_momentum` is false.
[[nodiscard]] bool moves_momentum(const ir::Action& action);

// Describes how the training script can drop random filters in forward passes, for an action that removes no weight
// permanently. Returns nullopt for other actions, or if another action sets masks.
[[nodiscard]] std::optional<std::string> filter_dropout_in_script(const ir::Recipe& recipe, const ir::Action& action,
                                                                  const ir::Prune& prune);

// Reports the pruner arguments of a Distiller policy that `system` does not support.
void report_dropped_arguments(const ir::Action& action, std::string_view system, ActionStatus& status,
                              diag::Sink& sink);

}  // namespace sparsecfg::dialect
