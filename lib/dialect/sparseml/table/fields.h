#pragma once

#include "dialect/spec.h"

// Fields that several modifiers share. Facts: reference/sparseml.md B.
namespace sparsecfg::dialect::sparseml {

// A field is a line where it can be.
// clang-format off
inline constexpr Bounds kEpochs{.min = -1};
inline constexpr Bounds kFraction{.min = 0, .max = 1};
inline constexpr Bounds kInnerFraction{.min = 0, .max = 1, .least_excluded = true, .most_excluded = true};
inline constexpr Bounds kNotNegative{.min = 0};
inline constexpr Bounds kRate{.min = 0, .max = 1, .least_excluded = true};

inline constexpr std::string_view kShapes[] = {"linear", "cubic", "inverse_cubic"};

inline constexpr FieldSpec kStart{
    .name = "start_epoch", .type = Type::epoch, .required = true, .bounds = kEpochs,
    .doc = "Epoch at whose first step it begins; -1: at the first step of all.", .unit = Unit::epochs};
// LearningRateModifier rounds it down before anything turns a string into a number.
inline constexpr FieldSpec kPlainStart{
    .name = "start_epoch", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epoch at whose first step it begins; -1: at the first step of all.", .unit = Unit::epochs};
inline constexpr FieldSpec kEnd{
    .name = "end_epoch", .type = Type::epoch, .required = true, .bounds = kEpochs,
    .doc = "Epoch at whose first step it ends; -1: never.", .unit = Unit::epochs};
inline constexpr FieldSpec kOptionalStart{
    .name = "start_epoch", .type = Type::epoch, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at whose first step it begins; -1: at the first step of all.", .unit = Unit::epochs};
inline constexpr FieldSpec kOptionalEnd{
    .name = "end_epoch", .type = Type::epoch, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at whose first step it ends; -1: never.", .unit = Unit::epochs};
inline constexpr FieldSpec kIgnoredEnd{
    .name = "end_epoch", .type = Type::epoch, .default_value = "-1.0", .bounds = kEpochs,
    .no_effect = "the value is set once, at the start, and stays",
    .doc = "Without effect: the value is set once, at the start.", .unit = Unit::epochs};
inline constexpr FieldSpec kRampEnd{
    .name = "end_epoch", .type = Type::epoch, .required = true, .bounds = kNotNegative,
    .doc = "Epoch at whose first step the final value is set.", .unit = Unit::epochs};
inline constexpr FieldSpec kFrequency{
    .name = "update_frequency", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epochs from one update to the next; -1: every step.", .unit = Unit::epochs_between};
inline constexpr FieldSpec kParams{
    .name = "params", .type = Type::selectors, .required = true,
    .doc = "Parameters: full names, `re:` patterns matched from the start, `__ALL__` or `__ALL_PRUNABLE__`."};
inline constexpr FieldSpec kParamGroups{
    .name = "param_groups", .type = Type::list, .default_value = "null", .phase = Moment::step, .nullable = true,
    .doc = "Indices of the optimizer's parameter groups; null: all of them."};
inline constexpr FieldSpec kConstantLogging{
    .name = "constant_logging", .type = Type::boolean, .default_value = "false",
    .doc = "Whether the value is logged at every step."};
inline constexpr FieldSpec kStrict{
    .name = "params_strict", .type = Type::boolean, .default_value = "true",
    .doc = "Whether every selector must take a parameter."};
inline constexpr FieldSpec kLearningRateToSet{
    .name = "learning_rate", .type = Type::rate, .required = true, .bounds = kRate,
    .doc = "Learning rate from the start on, above 0 and at most 1."};
inline constexpr std::string_view kLrClasses[] = {"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingWarmRestarts"};
inline constexpr FieldSpec kLrClass{
    .name = "lr_class", .type = Type::choice, .required = true, .choices = kLrClasses,
    .doc = "Scheduler of torch's that moves the learning rate."};
inline constexpr FieldSpec kLrKwargs{
    .name = "lr_kwargs", .type = Type::mapping, .required = true,
    .doc = "Its arguments, in epochs: `step_size`, `milestones` or `cycle_epochs`, with `gamma` or `lr_min`."};
inline constexpr FieldSpec kInitLr{
    .name = "init_lr", .type = Type::rate, .required = true, .bounds = kRate,
    .doc = "Learning rate at the start, above 0 and at most 1."};
inline constexpr FieldSpec kSchedulerFrequency{
    .name = "update_frequency", .type = Type::any, .default_value = "-1.0",
    .no_effect = "the scheduler is stepped at every step", .doc = "Without effect: the scheduler is stepped at every step."};
inline constexpr FieldSpec kInitSparsity{
    .name = "init_sparsity", .type = Type::real, .required = true, .bounds = kFraction, .token = "__FROM_PARAM__",
    .doc = "Sparsity at the start, 0.0 to 1.0, or `__FROM_PARAM__`: what each parameter has already."};
inline constexpr FieldSpec kDimensionMask{
    .name = "mask_type", .type = Type::any, .default_value = "unstructured",
    .doc = "`unstructured`, `channel`, `filter` or a block of two ints."};
inline constexpr FieldSpec kLeaveEnabled{
    .name = "leave_enabled", .type = Type::boolean, .default_value = "true",
    .doc = "Whether the mask stays in force after the end."};
inline constexpr FieldSpec kInterFunc{
    .name = "inter_func", .type = Type::choice, .default_value = "cubic", .choices = kShapes,
    .doc = "Shape of the ramp from the initial to the final sparsity."};
inline constexpr FieldSpec kMaskType{
    .name = "mask_type", .type = Type::any, .default_value = "unstructured",
    .doc = "`unstructured`, `block4`, an N:M text such as \"2:4\", `tensorrt` (2:4) or a block of two ints."};
inline constexpr FieldSpec kGlobalSparsity{
    .name = "global_sparsity", .type = Type::boolean, .default_value = "true",
    .doc = "Whether the weights of all parameters are ranked together."};
inline constexpr FieldSpec kGradSamplerKwargs{
    .name = "grad_sampler_kwargs", .type = Type::mapping, .default_value = "null", .nullable = true,
    .doc = "Arguments for the sampler of gradients."};
inline constexpr FieldSpec kMomentumReset{
    .name = "momentum_buffer_reset", .type = Type::boolean, .default_value = "true",
    .doc = "Whether the optimizer's momentum is cleared where the mask changes."};

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
