#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "dialect/options.h"
#include "ir/recipe.h"

// Checks for constructs that Distiller rejects, ignores or fails on, by topic. Each function reports its findings and
// marks what can't be lowered as not valid.
namespace sparsecfg::dialect::distiller {

// Reports a value of the wrong type and marks the component as not valid.
diag::Diagnostic& reject(Component& component, diag::Sink& sink, const Value& value, std::string_view field,
                         std::string_view expected);

// Checks the arguments of a pruner as its constructor and its first run use them.
void check_pruner(Component& pruner, const Context& context);
// Checks `reg_regims` of a regularizer. Names that the quantizer of the schedule renames are never looked up.
// `quantizer` may be null.
void check_regularizer(Component& regularizer, const Component* quantizer, const Context& context);
// Checks the bit widths, modes and overrides of a quantizer for training.
void check_quantizer(const Context& context, Component& quantizer);
// Checks a post-training quantizer.
void check_post_training(const Context& context, Component& quantizer);
// Checks the overrides of any quantizer.
void check_overrides(const Context& context, const Component& quantizer);
// Checks the numbers of a learning rate scheduler.
void check_scheduler(Component& scheduler, const Context& context);

// Checks the `args` of a policy.
void check_arguments(Policy& policy, const Context& context);
// Reports a class of another section.
void report_section(const Component& component, diag::Sink& sink);
// Reports a size of groups of filters with which Distiller fails.
diag::Diagnostic& report_group_size(const Component& pruner, diag::Sink& sink);
// Checks for failures when a policy runs: its class, its schedule, the formula of its scheduler. `later`: the policies
// after it.
void check_run(Policy& policy, const ReadOptions& options, std::span<const Policy> later, const Context& context);
// Checks for policies that can't be used in the same run.
void check_together(const Components& components, const std::vector<Policy>& policies, const ReadOptions& options,
                    const Context& context);
// Checks for extensions that remove other structures than the pruners zero.
void check_removers(const std::vector<Policy>& policies, const ReadOptions& options, diag::Sink& sink);
// Checks for schedulers that start late but still count from epoch 0.
void check_late_decay(const std::vector<Policy>& policies, diag::Sink& sink);
// Checks for schedulers that are stepped in other epochs, or less often, than they were written for.
void check_stepping(const Components& components, const std::vector<Policy>& policies, const ReadOptions& options,
                    diag::Sink& sink);
// Checks the steps of schedulers that are stepped without an epoch and without metrics, as in ai8x-training.
void check_steps(std::vector<Policy>& policies, const ReadOptions& options, diag::Sink& sink);
// Returns true if the rates are the same in both Distillers: one scheduler that steps in every epoch from 0.
[[nodiscard]] bool has_equal_rates(const Components& components, const std::vector<Policy>& policies);
// Reports the first policy whose rates differ between the Distillers.
void check_meaning(const Components& components, const std::vector<Policy>& policies, diag::Sink& sink);
// Checks a schedule that ai8x-training runs together with a QAT policy, or with the default one.
void check_with_qat(const std::vector<Policy>& policies, const ReadOptions& options, const Context& context);
// Checks the names of pruned weights as layers of ai8x-training have them.
void check_ai8x_names(const Components& components, const Context& context);
// Checks that groups and leaders fit the shapes of the weights.
void check_fit(const std::vector<Policy>& policies, const Context& context);
// Checks for sparsities outside 0 to 1, and for sparsities that prune less than one weight.
void check_small_sparsities(ir::Recipe& recipe, const ReadOptions& options, const Context& context);

// Returns the layers of each override in the order of lookup: exact names before all patterns.
[[nodiscard]] std::vector<model::Selector> overridden_layers(const Component& quantizer, const Context& context);
// Returns true if a field of an override applies to a layer with such a tensor, or if the layers are unknown.
[[nodiscard]] bool sets_used_bits(const Component& quantizer, const Context& context, const Field& field);
// Returns true if a layer uses the quantizer's default bit width for a field, or if the layers are unknown.
[[nodiscard]] bool uses_default_bits(const Component& quantizer, const Context& context, std::string_view field);
// Returns true if the quantizer fails with this bit width.
[[nodiscard]] bool overflows(const Component& quantizer, std::string_view name, double bits);
// Returns true if a quantizer is known to add parameters without a mask to the model.
[[nodiscard]] bool adds_parameters(const Component& quantizer, const Context& context);

// Returns true if a quantizer quantizes weights or biases, and therefore wraps them. Without the model's layers the
// result can be wrong if only overrides do so.
[[nodiscard]] bool wraps_weights(const Component& quantizer, const Context& context);

// Returns the quantizer that a policy runs; null if there is none.
[[nodiscard]] const Component* running_quantizer(const std::vector<Policy>& policies);

// Returns a function that returns true if a quantizer renames a parameter, such as `fc.weight` to `fc.float_weight`. It
// assumes that the parameter exists if the layers are unknown. Null: no quantizer.
[[nodiscard]] std::function<bool(const std::string&)> renamed_by(const Component* quantizer, const Context& context);

// Returns the length of the run in epochs: `--epochs`, or the latest end of a policy.
[[nodiscard]] double run_length(const std::vector<Policy>& policies, const ReadOptions& options);

// Returns a name that the text of a file does not contain: `name` itself, or with a number behind it.
[[nodiscard]] std::string unused_name(const source::SourceFile& file, const std::string& name);

// Returns a string as a value of advised text.
[[nodiscard]] inline source::Value text_value(std::string_view text) { return {std::string(text), {}}; }

}  // namespace sparsecfg::dialect::distiller
