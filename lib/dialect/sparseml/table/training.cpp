#include "dialect/sparseml/table/fields.h"

// Modifiers for training length, learning rate, weight decay, parameter values and logging.
// Source: docs/semantics/sparseml.md#b1, #b2, #b5.
namespace sparsecfg::dialect::sparseml {

// One field per line where possible.
// clang-format off
constexpr FieldSpec kEpochRange[] = {kStart, kEnd};

constexpr FieldSpec kLogging[] = {
    kStart, kOptionalEnd,
    {.name = "update_frequency", .type = Type::number, .default_value = "1.0", .bounds = kEpochs,
     .doc = "Number of epochs between log entries. -1 means every step.", .unit = Unit::epochs_between},
};

constexpr FieldSpec kSetLearningRate[] = {
    kLearningRateToSet, kOptionalStart, kUnreadEnd, kParamGroups, kConstantLogging,
};

constexpr std::string_view kLrFunctions[] = {"linear", "cosine", "cyclic_linear"};
constexpr FieldSpec kLearningRateFunction[] = {
    {.name = "lr_func", .type = Type::choice, .required = true, .choices = kLrFunctions,
     .doc = "Function that the learning rate follows."},
    {.name = "init_lr", .type = Type::real, .required = true, .bounds = kFraction,
     .doc = "Initial learning rate, 0 to 1."},
    {.name = "final_lr", .type = Type::real, .required = true, .bounds = kFraction,
     .doc = "Final learning rate, 0 to 1."},
    kStart, kEnd,
    {.name = "cycle_epochs", .type = Type::number, .default_value = "1.0", .phase = Moment::step,
     .doc = "Length of one cycle of `cyclic_linear`, in epochs.", .unit = Unit::epochs},
    kParamGroups,
    {.name = "update_frequency", .type = Type::any, .default_value = "-1.0",
     .no_effect = "the learning rate is set at every step",
     .doc = "No effect: the learning rate is set at every step."},
};

constexpr FieldSpec kLearningRate[] = {kLrClass, kLrKwargs, kInitLr, kPlainStart, kOptionalEnd, kSchedulerFrequency, kConstantLogging};

constexpr FieldSpec kSetWeightDecay[] = {
    {.name = "weight_decay", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Weight decay to set at the start."},
    kOptionalStart, kUnreadEnd, kParamGroups, kConstantLogging,
};

constexpr FieldSpec kTrainable[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters to select: full names, `re:` patterns matched from the start of a name, or `__ALL__`."},
    {.name = "trainable", .type = Type::truth, .required = true,
     .doc = "If true, the parameters are trained. A string that contains `f` or `0` counts as false."},
    kStrict, kOptionalStart, kOptionalEnd,
};

constexpr FieldSpec kSetParam[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters to set, as for TrainableParamsModifier."},
    {.name = "val", .type = Type::any, .required = true,
     .doc = "Value to set, with the same shape as each selected parameter."},
    kStrict,
    {.name = "start_epoch", .type = Type::real, .default_value = "0.0", .bounds = kEpochs,
     .doc = "Epoch at which the value is set.", .unit = Unit::epochs},
    kOptionalEnd,
};

constexpr FieldSpec kGradualParam[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters to set, as for TrainableParamsModifier."},
    {.name = "init_val", .type = Type::any, .required = true, .doc = "Initial value."},
    {.name = "final_val", .type = Type::any, .required = true, .doc = "Final value."},
    kStart, kRampEnd, kFrequency,
    {.name = "inter_func", .type = Type::choice, .default_value = "linear", .choices = kShapes,
     .doc = "Validated but ignored: the value always changes linearly."},
    kStrict,
};

constexpr ClassSpec kTraining[] = {
    {"EpochRangeModifier", ClassKind::epoch_range, kEpochRange,
     "Sets the minimum length of the training: it lasts at least until `end_epoch`.", EndRule::unset_or_after, kInTensorFlow},
    {"GradualParamModifier", ClassKind::gradual_param, kGradualParam,
     "Changes parameters linearly from one value to another.", EndRule::after, kIn2020},
    {"LearningRateFunctionModifier", ClassKind::learning_rate_function, kLearningRateFunction,
     "Changes the learning rate by a function between two epochs.", EndRule::after},
    {"LearningRateModifier", ClassKind::learning_rate, kLearningRate,
     "Changes the learning rate with a PyTorch scheduler.", EndRule::unset_or_after},
    {"SetLearningRateModifier", ClassKind::set_learning_rate, kSetLearningRate,
     "Sets the learning rate once."},
    {"SetParamModifier", ClassKind::set_param, kSetParam, "Sets parameters to a value once.", EndRule::unset_or_after, kIn2020},
    {"SetWeightDecayModifier", ClassKind::set_weight_decay, kSetWeightDecay,
     "Sets the optimizer weight decay once.", EndRule::none, kIn2020},
    {"SparsificationLoggingModifier", ClassKind::other, kLogging,
     "Logs the sparsity and quantization of the model.", EndRule::unset_or_after},
    {"TrainableParamsModifier", ClassKind::trainable, kTrainable,
     "Freezes or unfreezes parameters.", EndRule::unset_or_after, kInTensorFlow},
};

std::span<const ClassSpec> training_modifiers() { return kTraining; }

constexpr std::string_view kGammaStep[] = {"gamma", "step_size"};
constexpr std::string_view kGammaMilestones[] = {"gamma", "milestones"};
constexpr std::string_view kGamma[] = {"gamma"};
constexpr std::string_view kCosine[] = {"lr_min", "cycle_epochs"};
constexpr std::string_view kTorch[] = {"last_epoch", "verbose"};
constexpr std::string_view kTorchStepped[] = {"step_size", "last_epoch", "verbose"};
constexpr std::string_view kTorchCosine[] = {"T_mult", "last_epoch", "verbose"};

constexpr SchedulerSpec kSchedulers[] = {
    {"StepLR", kGammaStep, kTorch},
    {"MultiStepLR", kGammaMilestones, kTorch},
    {"ExponentialLR", kGamma, kTorchStepped},  // becomes a StepLR with a step of one epoch; `step_size` is ignored
    {"CosineAnnealingWarmRestarts", kCosine, kTorchCosine},
};

std::span<const SchedulerSpec> schedulers() { return kSchedulers; }

const SchedulerSpec* find_scheduler(std::string_view name) {
  for (const SchedulerSpec& spec : kSchedulers) {
    if (spec.name == name) {
      return &spec;
    }
  }
  return nullptr;
}

constexpr TimedField kEveryScheduler[] = {
    {"lr_kwargs", "step_size", Unit::epochs},
    {"lr_kwargs", "milestones", Unit::epochs},
    {"lr_kwargs", "cycle_epochs", Unit::epochs, true},
};
constexpr TimedField kExponential[] = {{"lr_kwargs", "gamma", Unit::each_epoch}};

std::span<const TimedField> times_of_scheduler(std::string_view name) {
  return name == "ExponentialLR" ? std::span<const TimedField>(kExponential) : kEveryScheduler;
}

// clang-format on

constexpr FieldSpec kTensorFlowGmPruning[] = {
    kParams,
    kInitSparsity,
    {.name = "final_sparsity",
     .type = Type::exact_float | Type::list,
     .required = true,
     .bounds = kInnerFraction,
     .doc = "Final sparsity, between 0.0 and 1.0."},
    kStart,
    kRampEnd,
    kFrequency,
    kInterFunc,
    kDimensionMask,
    {.name = "leave_enabled",
     .type = Type::truth,
     .default_value = "true",
     .doc = "Must be true: the mask stays active after the end."},
};

constexpr FieldSpec kTensorFlowConstant[] = {kParams, kOptionalStart, kOptionalEnd};
constexpr FieldSpec kTensorFlowSetLearningRate[] = {kLearningRateToSet, kOptionalStart, kIgnoredEnd};
constexpr FieldSpec kTensorFlowLearningRate[] = {kLrClass, kLrKwargs,    kInitLr,
                                                 kStart,   kOptionalEnd, kSchedulerFrequency};

constexpr ClassSpec kTensorFlow[] = {
    {"ConstantPruningModifier", ClassKind::constant_pruning, kTensorFlowConstant,
     "Keeps weights that are already zero at zero."},
    {"GMPruningModifier", ClassKind::gradual_pruning, kTensorFlowGmPruning, "Prunes gradually by magnitude.",
     EndRule::after},
    {"LearningRateModifier", ClassKind::learning_rate, kTensorFlowLearningRate,
     "Changes the learning rate with a scheduler.", EndRule::unset_or_after},
    {"SetLearningRateModifier", ClassKind::set_learning_rate, kTensorFlowSetLearningRate,
     "Sets the learning rate once."},
};

std::span<const ClassSpec> tensorflow_modifiers() { return kTensorFlow; }

}  // namespace sparsecfg::dialect::sparseml
