#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "ir/recipe.h"

// What writers need to know of actions that come from other dialects.
namespace sparsecfg::dialect {

// A ramp from 0 by counted updates: at `begin` it has gone nothing of its way and at `last` all of it.
struct Way {
  std::uint64_t begin = 0;
  std::uint64_t every = 1;
  std::uint64_t last = 0;
  bool at_once = false;  // true if its only update is the last one
};

// Returns nullopt if there is no update, or if the first ones or the last one are missing.
[[nodiscard]] std::optional<Way> way_of(const ir::StepSchedule& counted);

// An entry of NNI's that sets no share and follows no other tensor's mask.
[[nodiscard]] bool masks_nothing(const ir::Recipe& recipe, const ir::Action& action);

// Returns true if an entry of NNI's stands in a list that names no class.
[[nodiscard]] bool names_no_class(const ir::Recipe& recipe, const ir::Action& action);

// Returns true if an action that quantizes is for the layers that it names alone.
[[nodiscard]] bool selects_layers(const ir::Recipe& recipe);

// What a training script adds to the loss for an action that does so, with the weights and epochs. Returns nullopt
// if it sets masks too, or if no line of a script says it.
[[nodiscard]] std::optional<std::string> penalty_in_script(const ir::Action& action, const ir::Regularize& penalty);

// Reports a difference that the numbers may not show, and says so in the status.
void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason, diag::Sink& sink);

// Returns true if an action counts steps and nobody says how many of them make an epoch.
[[nodiscard]] bool counts_unknown_steps(const ir::Action& action, const WriteOptions& options);

// Reports that an action counts `from` ("steps") where `to` ("epochs") are wanted, and how many make one is unknown.
// The action is dropped.
void drop_without_steps(ActionStatus& status, const ir::Action& action, std::string_view from, std::string_view to,
                        diag::Sink& sink);

// What a system ("SparseML") that has no such thing loses of an action of NNI's: bounds of the ratios, masks of
// biases, an update after the last step of the run.
void report_losses_of_nni(const ir::Recipe& recipe, const ir::Action& action, const ir::Prune& prune,
                          const WriteOptions& options, std::string_view system, ActionStatus& status, diag::Sink& sink);

// Returns true if a policy of Distiller's takes its masks away again: after each batch, or because they are for the
// forward pass alone and nothing keeps them at the end.
[[nodiscard]] bool discards_masks(const ir::Action& action);

// Returns true if a target of modules has a ratio for other tensors than their weights alone: for biases.
[[nodiscard]] bool spares_weights(const ir::Prune& prune);

// Returns true if a scheduler of torch's moves the momentum together with the rate, as those that go up and down do
// unless their arguments say otherwise.
[[nodiscard]] bool moves_momentum(const ir::Action& action);

// What a training script does in place of an action that drops filters at random for the forward pass alone, so that
// no weight stays removed. Returns nullopt if it does something else, or if other actions set masks beside it.
[[nodiscard]] std::optional<std::string> dropping_in_script(const ir::Recipe& recipe, const ir::Action& action,
                                                            const ir::Prune& prune);

// What it loses of the arguments that a policy of Distiller's gives its pruner.
void report_lost_arguments(const ir::Action& action, std::string_view system, ActionStatus& status, diag::Sink& sink);

// What a pruner does, step by step: the form that every writer fits its own shapes to.

// A sparsity and the number of steps after which it is in force.
struct Update {
  std::uint64_t step = 0;
  double sparsity = 0;
};

// How many updates of all pruners of a recipe are followed.
inline constexpr std::size_t kMaxUpdatesOfAll = 4'000'000;

// Every update of a pruner up to its end, whatever says when it acts. `left` is how many updates may still be followed;
// those of this pruner are subtracted. Returns nullopt if there is no end, if there are more than a million updates or
// than are left, or if a value is none that can be computed.
[[nodiscard]] std::optional<std::vector<Update>> updates_of(const ir::Cadence& cadence, const ir::SparsityCurve& curve,
                                                            double target, std::uint64_t steps_per_epoch,
                                                            std::size_t& left);

}  // namespace sparsecfg::dialect
