#pragma once

#include <optional>
#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "dialect/options.h"
#include "ir/recipe.h"

// What Distiller refuses, stops at or drops, by what it concerns. Each reports what it finds and
// marks what can't be lowered as not valid.
namespace sparsecfg::dialect::distiller {

// The parameters of a pruner, as its constructor and its first run look at them.
void check_pruner(Component& pruner, diag::Sink& sink);
// The regimes of a regularizer.
void check_regularizer(Component& regularizer, diag::Sink& sink);
// Bits, modes and overrides of a quantizer for training.
void check_quantizer(const Reading& reading, Component& quantizer);
// The same for one of a trained model.
void check_post_training(const Reading& reading, Component& quantizer);
// The overrides of any quantizer.
void check_overrides(const Reading& reading, const Component& quantizer);
// The numbers of a scheduler of the learning rate.
void check_scheduler(Component& scheduler, diag::Sink& sink);
// The function that an extension names.
void check_extension(Component& extension, diag::Sink& sink);

// The `args` of a policy.
void check_arguments(Policy& policy, diag::Sink& sink);
// What stops a policy when it runs: the class, the course, the formula.
void check_run(Policy& policy, const ReadOptions& options, diag::Sink& sink);
// Policies that can't share a run.
void check_together(const Components& components, const std::vector<Policy>& policies, const ReadOptions& options,
                    const Reading& reading);
// Schedulers that begin late and count from epoch 0 all the same.
void check_late_decay(const std::vector<Policy>& policies, diag::Sink& sink);
// Groups and leaders that don't fit the shapes of the weights.
void check_fit(const std::vector<Policy>& policies, const Reading& reading);
// Shares of single weights that are none, or that come to less than one weight.
void check_shares(ir::Recipe& recipe, const ReadOptions& options, const Reading& reading);

// The layers of each override, an exact name before all patterns, in the order in which they are asked.
[[nodiscard]] std::vector<ir::Selector> overridden_layers(const Component& quantizer, const Reading& reading);
// Returns true if a field of an override reaches a layer that has what it is about. Without the model's layers it may.
[[nodiscard]] bool gives_bits(const Component& quantizer, const Reading& reading, const Field& field);
// The same for the bits of the whole quantizer: true if a layer takes them from there.
[[nodiscard]] bool gives_default_bits(const Component& quantizer, const Reading& reading, std::string_view field);
// Returns true if so many bits stop the quantizer.
[[nodiscard]] bool overflows(const Component& quantizer, std::string_view name, double bits);
// Returns true if a quantizer is known to give layers of the model parameters that no mask belongs to.
[[nodiscard]] bool adds_parameters(const Component& quantizer, const Reading& reading);

// Returns true if a quantizer gives bits to weights or biases, which it then wraps. Without the model's layers
// it may be wrong where only overrides do so.
[[nodiscard]] bool wraps_weights(const Component& quantizer, const Reading& reading);

// How long the policies ask to train: the latest end, or what --epochs says.
[[nodiscard]] double run_length(const std::vector<Policy>& policies, const ReadOptions& options);

}  // namespace sparsecfg::dialect::distiller
