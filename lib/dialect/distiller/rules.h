#pragma once

#include <optional>
#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "dialect/options.h"

// What Distiller refuses, stops at or drops, by what it concerns. Each reports what it finds and
// marks what can't be lowered as not sound.
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
                    diag::Sink& sink);

// How long the policies ask to train: the latest end, or what --epochs says.
[[nodiscard]] double run_length(const std::vector<Policy>& policies, const ReadOptions& options);

}  // namespace sparsecfg::dialect::distiller
