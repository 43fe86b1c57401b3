#include "dialect/sparseml/table/parts.h"

// Modifiers of the releases of 2020, where they differ from the later ones. Facts:
// reference/sparseml.md G and the documentation of that time.
namespace sparsecfg::dialect::sparseml {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kPatterns{
    .name = "params", .type = Type::selectors, .required = true,
    .doc = "Parameters: full names, `re:` patterns matched from the start, or `__ALL__`."};
// Epochs are compared as they are: a string is a TypeError.
constexpr FieldSpec kFirstEpoch{
    .name = "start_epoch", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epoch at whose first step it begins; -1: at the first step of all.", .unit = Unit::epochs};
constexpr FieldSpec kOptionalFirstEpoch{
    .name = "start_epoch", .type = Type::number, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at whose first step it begins; -1: at the first step of all.", .unit = Unit::epochs};
constexpr FieldSpec kLastEpoch{
    .name = "end_epoch", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epoch at whose first step it ends; -1: never.", .unit = Unit::epochs};
constexpr FieldSpec kOptionalLastEpoch{
    .name = "end_epoch", .type = Type::number, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at whose first step it ends; -1: never.", .unit = Unit::epochs};
constexpr FieldSpec kFinalEpoch{
    .name = "end_epoch", .type = Type::number, .required = true, .bounds = kNotNegative,
    .doc = "Epoch at whose first step the final value is set.", .unit = Unit::epochs};
constexpr FieldSpec kFirstSparsity{
    .name = "init_sparsity", .type = Type::real, .required = true, .bounds = kFraction,
    .doc = "Sparsity at the start, 0.0 to 1.0."};
constexpr FieldSpec kLastSparsity{
    .name = "final_sparsity", .type = Type::real, .required = true, .bounds = kFraction,
    .doc = "Sparsity at the end, 0.0 to 1.0."};

constexpr FieldSpec kGradual[] = {
    kPatterns, kFirstSparsity, kLastSparsity, kFirstEpoch, kFinalEpoch, kFrequency, kInterFunc, kDimensionMask, kLeaveEnabled,
};
// An even older form, which names layers and one parameter that is pruned in each of them.
constexpr FieldSpec kGradualByLayer[] = {
    {.name = "layers", .type = Type::selectors, .required = true, .doc = "Layers: full names, or `__ALL__`."},
    {.name = "param", .type = Type::text, .default_value = "weight", .doc = "Name within the layer of the parameter to prune."},
    kFirstSparsity, kLastSparsity, kFirstEpoch, kFinalEpoch, kFrequency, kInterFunc, kLeaveEnabled,
};
constexpr FieldSpec kV2020Constant[] = {kPatterns, kOptionalFirstEpoch, kOptionalLastEpoch};
constexpr FieldSpec kV2020EpochRange[] = {kFirstEpoch, kLastEpoch};

constexpr FieldSpec kV2020SetLearningRate[] = {
    {.name = "learning_rate", .type = Type::number, .required = true, .bounds = kRate,
     .doc = "Learning rate from the start on, above 0 and at most 1."},
    kOptionalFirstEpoch, kIgnoredEnd, kConstantLogging,
};

constexpr FieldSpec kV2020LearningRate[] = {
    kLrClass, kLrKwargs,
    {.name = "init_lr", .type = Type::number, .required = true, .bounds = kRate,
     .doc = "Learning rate at the start, above 0 and at most 1."},
    kFirstEpoch, kOptionalLastEpoch, kSchedulerFrequency, kConstantLogging,
};

constexpr FieldSpec kV2020Trainable[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters: full names, `re:` patterns matched from the start, or `__ALL__`."},
    {.name = "trainable", .type = Type::boolean, .required = true,
     .doc = "Whether the parameters are trained; the documentation left it out at times, the code never did."},
    kStrict, kOptionalFirstEpoch, kOptionalLastEpoch,
};

constexpr ModifierSpec k2020[] = {
    {"ConstantKSModifier", Meaning::constant_pruning, EndRule::none, kV2020Constant,
     "Keeps the zeros that the parameters have; since 2021 ConstantPruningModifier."},
    {"EpochRangeModifier", Meaning::epoch_range, EndRule::none, kV2020EpochRange,
     "Makes the training last at least to its end."},
    {"GradualKSModifier", Meaning::gradual_pruning, EndRule::after, kGradual,
     "Prunes gradually by magnitude; since 2021 GMPruningModifier."},
    {"GradualKSModifier", Meaning::gradual_pruning, EndRule::after, kGradualByLayer,
     "Prunes one parameter of each layer gradually by magnitude."},
    {"LearningRateModifier", Meaning::learning_rate, EndRule::none, kV2020LearningRate,
     "Moves the learning rate with one of torch's schedulers."},
    {"SetLearningRateModifier", Meaning::set_learning_rate, EndRule::none, kV2020SetLearningRate,
     "Sets the learning rate once."},
    {"TrainableParamsModifier", Meaning::trainable, EndRule::none, kV2020Trainable,
     "Freezes or unfreezes parameters."},
};

std::span<const ModifierSpec> modifiers_of_2020() { return k2020; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
