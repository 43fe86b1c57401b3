#include "dialect/sparseml/table/parts.h"

// Modifiers of the releases of 2020, where they differ from the later ones. Facts:
// reference/sparseml.md G and the documentation of that time.
namespace sparsecfg::dialect::sparseml {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kPatterns{
    .name = "params", .type = Type::selectors, .default_value = "['re:.*weight']",
    .doc = "Parameters: full names, `re:` patterns matched from the start, or `__ALL__`."};
constexpr FieldSpec kFirstSparsity{
    .name = "init_sparsity", .type = Type::real, .required = true, .bounds = kFraction,
    .doc = "Sparsity at the start, 0.0 to 1.0."};
constexpr FieldSpec kLastSparsity{
    .name = "final_sparsity", .type = Type::real, .required = true, .bounds = kFraction,
    .doc = "Sparsity at the end, 0.0 to 1.0."};

constexpr FieldSpec kGradual[] = {
    kPatterns, kFirstSparsity, kLastSparsity, kStart, kRampEnd, kFrequency, kInterFunc, kDimensionMask, kLeaveEnabled,
};
// An even older form, which names layers and one parameter that is pruned in each of them.
constexpr FieldSpec kGradualByLayer[] = {
    {.name = "layers", .type = Type::selectors, .required = true, .doc = "Layers: full names, or `__ALL__`."},
    {.name = "param", .type = Type::text, .default_value = "weight", .doc = "Name within the layer of the parameter to prune."},
    kFirstSparsity, kLastSparsity, kStart, kRampEnd, kFrequency,
    {.name = "inter_func", .type = Type::choice, .default_value = "linear", .choices = kShapes,
     .doc = "Shape of the ramp from the initial to the final sparsity."},
    kLeaveEnabled,
};
constexpr FieldSpec kV2020Constant[] = {kPatterns, kOptionalStart, kOptionalEnd};

constexpr FieldSpec kV2020SetLearningRate[] = {
    {.name = "learning_rate", .type = Type::number, .required = true, .phase = Moment::step, .nullable = true,
     .doc = "Learning rate from the start on; null: what it is."},
    kOptionalStart, kIgnoredEnd, kConstantLogging,
};

constexpr std::string_view kClasses[] = {"ExponentialLR", "StepLR", "MultiStepLR"};
constexpr FieldSpec kV2020LearningRate[] = {
    {.name = "lr_class", .type = Type::choice, .required = true, .choices = kClasses,
     .doc = "Scheduler of torch's that moves the learning rate."},
    kLrKwargs,
    {.name = "init_lr", .type = Type::number, .default_value = "null", .phase = Moment::step, .nullable = true,
     .doc = "Learning rate at the start; null: what it is."},
    kOptionalStart, kOptionalEnd, kSchedulerFrequency, kConstantLogging,
};

constexpr FieldSpec kV2020Trainable[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters: full names, `re:` patterns matched from the start, or `__ALL__`."},
    {.name = "trainable", .type = Type::boolean, .default_value = "true",
     .doc = "Whether the parameters are trained; the documentation left it out at times, the code never did."},
    kStrict, kOptionalStart, kOptionalEnd,
};

constexpr ModifierSpec k2020[] = {
    {"ConstantKSModifier", Meaning::constant_pruning, EndRule::unset_or_after, kV2020Constant,
     "Keeps the zeros that the parameters have; since 2021 ConstantPruningModifier."},
    {"GradualKSModifier", Meaning::gradual_pruning, EndRule::after, kGradual,
     "Prunes gradually by magnitude; since 2021 GMPruningModifier."},
    {"GradualKSModifier", Meaning::gradual_pruning, EndRule::after, kGradualByLayer,
     "Prunes one parameter of each layer gradually by magnitude."},
    {"LearningRateModifier", Meaning::learning_rate, EndRule::unset_or_after, kV2020LearningRate,
     "Moves the learning rate with one of torch's schedulers."},
    {"SetLearningRateModifier", Meaning::set_learning_rate, EndRule::none, kV2020SetLearningRate,
     "Sets the learning rate once."},
    {"TrainableParamsModifier", Meaning::trainable, EndRule::unset_or_after, kV2020Trainable,
     "Freezes or unfreezes parameters."},
};

std::span<const ModifierSpec> modifiers_of_2020() { return k2020; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
