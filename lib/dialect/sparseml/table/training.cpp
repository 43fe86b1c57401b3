#include "dialect/sparseml/table/parts.h"

// Modifiers of the training itself: length, learning rate, weight decay, parameters, logging.
// Facts: reference/sparseml.md B.1, B.2 and B.5.
namespace sparsecfg::dialect::sparseml {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kEpochRange[] = {kStart, kEnd};

constexpr FieldSpec kLogging[] = {
    kStart, kOptionalEnd,
    {.name = "update_frequency", .type = Type::number, .default_value = "1.0", .bounds = kEpochs,
     .doc = "Epochs from one log entry to the next; -1: every step.", .unit = Unit::epochs_between},
};

constexpr FieldSpec kSetLearningRate[] = {
    kLearningRateToSet, kOptionalStart, kIgnoredEnd, kParamGroups, kConstantLogging,
};

constexpr std::string_view kLrFunctions[] = {"linear", "cosine", "cyclic_linear"};
constexpr FieldSpec kLearningRateFunction[] = {
    {.name = "lr_func", .type = Type::choice, .required = true, .choices = kLrFunctions,
     .doc = "Course of the learning rate."},
    {.name = "init_lr", .type = Type::rate, .required = true, .bounds = kFraction,
     .doc = "Learning rate at the start, 0 to 1."},
    {.name = "final_lr", .type = Type::rate, .required = true, .bounds = kFraction,
     .doc = "Learning rate at the end, 0 to 1."},
    kStart, kEnd,
    {.name = "cycle_epochs", .type = Type::number, .default_value = "1.0", .phase = Moment::step,
     .doc = "Epochs of one cycle of `cyclic_linear`.", .unit = Unit::epochs},
    kParamGroups,
    {.name = "update_frequency", .type = Type::any, .default_value = "-1.0",
     .no_effect = "the learning rate is set at every step", .doc = "Without effect: the rate is set at every step."},
};

constexpr FieldSpec kLearningRate[] = {kLrClass, kLrKwargs, kInitLr, kPlainStart, kOptionalEnd, kSchedulerFrequency, kConstantLogging};

constexpr FieldSpec kSetWeightDecay[] = {
    {.name = "weight_decay", .type = Type::number, .required = true, .phase = Moment::step,
     .doc = "Weight decay of the optimizer from the start on."},
    kOptionalStart, kIgnoredEnd, kParamGroups, kConstantLogging,
};

constexpr FieldSpec kTrainable[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters: full names, `re:` patterns matched from the start, or `__ALL__`."},
    {.name = "trainable", .type = Type::boolean, .required = true,
     .doc = "Whether the parameters are trained; a string is false if it holds an `f` or a `0`."},
    kStrict, kOptionalStart, kOptionalEnd,
};

constexpr FieldSpec kSetParam[] = {
    {.name = "params", .type = Type::selectors, .required = true, .doc = "Parameters to set, as for TrainableParamsModifier."},
    {.name = "val", .type = Type::any, .required = true, .doc = "The value, shaped like every parameter that it sets."},
    kStrict,
    {.name = "start_epoch", .type = Type::epoch, .default_value = "0.0", .bounds = kEpochs,
     .doc = "Epoch at whose first step the value is set.", .unit = Unit::epochs},
    kOptionalEnd,
};

constexpr FieldSpec kGradualParam[] = {
    {.name = "params", .type = Type::selectors, .required = true, .doc = "Parameters to set, as for TrainableParamsModifier."},
    {.name = "init_val", .type = Type::any, .required = true, .doc = "Value at the start."},
    {.name = "final_val", .type = Type::any, .required = true, .doc = "Value at the end."},
    kStart, kRampEnd, kFrequency,
    {.name = "inter_func", .type = Type::choice, .default_value = "linear", .choices = kShapes,
     .doc = "Checked but not used: the course is linear whatever it says."},
    kStrict,
};

constexpr ModifierSpec kTraining[] = {
    {"EpochRangeModifier", Meaning::epoch_range, EndRule::unset_or_after, kEpochRange,
     "Makes the training last at least to its end.", kInTensorFlow},
    {"GradualParamModifier", Meaning::gradual_param, EndRule::after, kGradualParam,
     "Moves parameters linearly from one value to another.", kIn2020},
    {"LearningRateFunctionModifier", Meaning::learning_rate_function, EndRule::after, kLearningRateFunction,
     "Moves the learning rate along a function between two epochs."},
    {"LearningRateModifier", Meaning::learning_rate, EndRule::unset_or_after, kLearningRate,
     "Moves the learning rate with one of torch's schedulers."},
    {"SetLearningRateModifier", Meaning::set_learning_rate, EndRule::none, kSetLearningRate,
     "Sets the learning rate once."},
    {"SetParamModifier", Meaning::set_param, EndRule::unset_or_after, kSetParam, "Sets parameters to a value once.",
     kIn2020},
    {"SetWeightDecayModifier", Meaning::set_weight_decay, EndRule::none, kSetWeightDecay,
     "Sets the weight decay of the optimizer once.", kIn2020},
    {"SparsificationLoggingModifier", Meaning::other, EndRule::unset_or_after, kLogging,
     "Logs how sparse and how quantized the model is."},
    {"TrainableParamsModifier", Meaning::trainable, EndRule::unset_or_after, kTrainable,
     "Freezes or unfreezes parameters.", kInTensorFlow},
};

std::span<const ModifierSpec> training_modifiers() { return kTraining; }

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
    {"ExponentialLR", kGamma, kTorchStepped},  // becomes a StepLR of one epoch, whatever `step_size` says
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

}  // namespace sparsecfg::dialect::sparseml
