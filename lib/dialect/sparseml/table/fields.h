#pragma once

#include <span>

#include "dialect/record/spec.h"
#include "dialect/sparseml/table/table.h"

// Fields shared by several modifiers. Source: docs/semantics/sparseml.md#b0.
namespace sparsecfg::dialect::sparseml {

// One field per line where possible.
// clang-format off
inline constexpr Bounds kEpochs{.min = -1};
inline constexpr Bounds kFraction{.min = 0, .max = 1};
inline constexpr Bounds kInnerFraction{.min = 0, .max = 1, .min_excluded = true, .max_excluded = true};
inline constexpr Bounds kNotNegative{.min = 0};
inline constexpr Bounds kRate{.min = 0, .max = 1, .min_excluded = true};

// Words that select all parameters, and those with a mask.
inline constexpr std::string_view kTokens[] = {"__ALL_PRUNABLE__", "__ALL__"};
// Structures that a mask removes; the first two are those of OBSPruningModifier.
inline constexpr std::string_view kMaskWords[] = {"unstructured", "block4", "tensorrt"};
inline constexpr std::string_view kMaskTypes[] = {"unstructured", "block4", "tensorrt", "2:4", "4:8", "[1, 4]"};
inline constexpr std::string_view kDimensions[] = {"unstructured", "channel", "filter", "[1, 4]"};
inline constexpr std::string_view kQuantizationSchemes[] = {"default", "deepsparse", "tensorrt"};
inline constexpr std::string_view kShapes[] = {"linear", "cubic", "inverse_cubic"};

inline constexpr FieldSpec kStart{
    .name = "start_epoch", .type = Type::real, .required = true, .bounds = kEpochs,
    .doc = "Epoch at which the modifier starts. -1 means immediately.", .unit = Unit::epochs};
// LearningRateModifier rounds the epoch down before strings are converted to numbers.
inline constexpr FieldSpec kPlainStart{
    .name = "start_epoch", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epoch at which the modifier starts. -1 means immediately.", .unit = Unit::epochs};
inline constexpr FieldSpec kEnd{
    .name = "end_epoch", .type = Type::real, .required = true, .bounds = kEpochs,
    .doc = "Epoch at which the modifier ends. -1 means never.", .unit = Unit::epochs};
inline constexpr FieldSpec kOptionalStart{
    .name = "start_epoch", .type = Type::real, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at which the modifier starts. -1 means immediately.", .unit = Unit::epochs};
inline constexpr FieldSpec kOptionalEnd{
    .name = "end_epoch", .type = Type::real, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at which the modifier ends. -1 means never.", .unit = Unit::epochs};
inline constexpr FieldSpec kIgnoredEnd{
    .name = "end_epoch", .type = Type::real, .default_value = "-1.0", .bounds = kEpochs,
    .no_effect = "the value is set once, at the start, and does not change",
    .doc = "No effect: the value is set once, at the start.", .unit = Unit::epochs};
// The class replaces the value without reading it.
inline constexpr FieldSpec kUnreadEnd{
    .name = "end_epoch", .type = Type::any, .default_value = "-1.0",
    .no_effect = kIgnoredEnd.no_effect, .doc = kIgnoredEnd.doc, .unit = Unit::epochs};
inline constexpr FieldSpec kRampEnd{
    .name = "end_epoch", .type = Type::real, .required = true, .bounds = kNotNegative,
    .doc = "Epoch at which the final value is set.", .unit = Unit::epochs};
inline constexpr FieldSpec kFrequency{
    .name = "update_frequency", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Number of epochs between updates. -1 means every step.", .unit = Unit::epochs_between};
inline constexpr FieldSpec kParams{
    .name = "params", .type = Type::selectors, .required = true, .suggested = kTokens,
    .doc = "Parameters to select: full names, `re:` patterns matched from the start of a name, `__ALL__` or "
           "`__ALL_PRUNABLE__`."};
inline constexpr FieldSpec kParamGroups{
    .name = "param_groups", .type = Type::list, .default_value = "null", .phase = Moment::step, .nullable = true,
    .doc = "Indices of the optimizer parameter groups to change. null means all groups."};
inline constexpr FieldSpec kConstantLogging{
    .name = "constant_logging", .type = Type::truth, .default_value = "false",
    .doc = "If true, log the value at every step."};
inline constexpr FieldSpec kStrict{
    .name = "params_strict", .type = Type::truth, .default_value = "true",
    .doc = "If true, every selector must match a parameter."};
inline constexpr FieldSpec kLearningRateToSet{
    .name = "learning_rate", .type = Type::real, .required = true, .bounds = kRate,
    .doc = "Learning rate to set at the start: greater than 0, at most 1."};
inline constexpr std::string_view kLrClasses[] = {"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingWarmRestarts"};
inline constexpr FieldSpec kLrClass{
    .name = "lr_class", .type = Type::choice, .required = true, .choices = kLrClasses,
    .doc = "PyTorch scheduler that changes the learning rate."};
inline constexpr FieldSpec kLrKwargs{
    .name = "lr_kwargs", .type = Type::any_mapping, .required = true,
    .doc = "Scheduler arguments, with times in epochs: `step_size`, `milestones` or `cycle_epochs`, with `gamma` or "
           "`lr_min`."};
inline constexpr FieldSpec kInitLr{
    .name = "init_lr", .type = Type::real, .required = true, .bounds = kRate,
    .doc = "Initial learning rate: greater than 0, at most 1."};
inline constexpr FieldSpec kSchedulerFrequency{
    .name = "update_frequency", .type = Type::any, .default_value = "-1.0",
    .no_effect = "the scheduler is stepped at every step", .doc = "No effect: the scheduler is stepped at every step."};
inline constexpr FieldSpec kInitSparsity{
    .name = "init_sparsity", .type = Type::exact_float, .required = true, .bounds = kFraction, .token = "__FROM_PARAM__",
    .doc = "Initial sparsity, 0.0 to 1.0, or `__FROM_PARAM__` for the current sparsity of each parameter."};
inline constexpr FieldSpec kDimensionMask{
    .name = "mask_type", .type = Type::any, .default_value = "unstructured", .suggested = kDimensions,
    .doc = "Structure to remove: `unstructured`, `channel`, `filter` or a block of two integers."};
inline constexpr FieldSpec kLeaveEnabled{
    .name = "leave_enabled", .type = Type::truth, .default_value = "true",
    .doc = "If true, the mask stays active after the end."};
inline constexpr FieldSpec kInterFunc{
    .name = "inter_func", .type = Type::choice, .default_value = "cubic", .choices = kShapes,
    .doc = "Shape of the ramp from the initial to the final sparsity."};
inline constexpr FieldSpec kMaskType{
    .name = "mask_type", .type = Type::any, .default_value = "unstructured", .suggested = kMaskTypes,
    .doc = "Structure to remove: `unstructured`, `block4`, an N:M string such as \"2:4\", `tensorrt` (2:4) or a block "
           "of two integers."};
inline constexpr FieldSpec kGlobalSparsity{
    .name = "global_sparsity", .type = Type::truth, .default_value = "true",
    .doc = "If true, rank the weights of all parameters together."};
inline constexpr FieldSpec kGradSamplerKwargs{
    .name = "grad_sampler_kwargs", .type = Type::any_mapping, .default_value = "null", .nullable = true,
    .doc = "Arguments of the gradient sampler."};
inline constexpr FieldSpec kMomentumReset{
    .name = "momentum_buffer_reset", .type = Type::truth, .default_value = "true",
    .doc = "If true, clear the optimizer momentum of weights whose mask changes."};

// clang-format on

// The partial tables that are merged into one modifier table per framework.

[[nodiscard]] std::span<const ClassSpec> training_modifiers();
[[nodiscard]] std::span<const ClassSpec> pruning_modifiers();
[[nodiscard]] std::span<const ClassSpec> quantization_modifiers();
[[nodiscard]] std::span<const ClassSpec> tensorflow_modifiers();
[[nodiscard]] std::span<const ClassSpec> modifiers_of_2020();

// Frameworks that share a row of another table.
inline constexpr unsigned kIn2020 = flag_of(Framework::pytorch_2020);
inline constexpr unsigned kInTensorFlow = flag_of(Framework::keras) | flag_of(Framework::tensorflow);

}  // namespace sparsecfg::dialect::sparseml
