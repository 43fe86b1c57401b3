#include "dialect/sparseml/table/fields.h"

// Modifiers of the 2020 releases that differ from later releases. Source:
// docs/semantics/sparseml.md#g1 and the documentation of that time.
namespace sparsecfg::dialect::sparseml {

// One field per line where possible.
// clang-format off
constexpr FieldSpec kPatterns{
    .name = "params", .type = Type::selectors, .required = true,
    .doc = "Parameters to select: full names, `re:` patterns matched from the start of a name, or `__ALL__`."};
// Epochs are compared without conversion, so a string causes a TypeError.
constexpr FieldSpec kFirstEpoch{
    .name = "start_epoch", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epoch at which the modifier starts. -1 means immediately.", .unit = Unit::epochs};
constexpr FieldSpec kOptionalFirstEpoch{
    .name = "start_epoch", .type = Type::number, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at which the modifier starts. -1 means immediately.", .unit = Unit::epochs};
constexpr FieldSpec kLastEpoch{
    .name = "end_epoch", .type = Type::number, .required = true, .bounds = kEpochs,
    .doc = "Epoch at which the modifier ends. -1 means never.", .unit = Unit::epochs};
constexpr FieldSpec kOptionalLastEpoch{
    .name = "end_epoch", .type = Type::number, .default_value = "-1.0", .bounds = kEpochs,
    .doc = "Epoch at which the modifier ends. -1 means never.", .unit = Unit::epochs};
constexpr FieldSpec kFinalEpoch{
    .name = "end_epoch", .type = Type::number, .required = true, .bounds = kNotNegative,
    .doc = "Epoch at which the final value is set.", .unit = Unit::epochs};
constexpr FieldSpec kFirstSparsity{
    .name = "init_sparsity", .type = Type::exact_float, .required = true, .bounds = kFraction,
    .doc = "Initial sparsity, 0.0 to 1.0."};
constexpr FieldSpec kLastSparsity{
    .name = "final_sparsity", .type = Type::exact_float, .required = true, .bounds = kFraction,
    .doc = "Final sparsity, 0.0 to 1.0."};

constexpr FieldSpec kGradual[] = {
    kPatterns, kFirstSparsity, kLastSparsity, kFirstEpoch, kFinalEpoch, kFrequency, kInterFunc, kDimensionMask, kLeaveEnabled,
};
// An even older form that lists layers and the name of one parameter to prune in each.
constexpr FieldSpec kGradualByLayer[] = {
    {.name = "layers", .type = Type::selectors, .required = true, .doc = "Layers to prune: full names, or `__ALL__`."},
    {.name = "param", .type = Type::text, .default_value = "weight",
     .doc = "Name of the parameter to prune in each layer."},
    kFirstSparsity, kLastSparsity, kFirstEpoch, kFinalEpoch, kFrequency, kInterFunc, kLeaveEnabled,
};
constexpr FieldSpec kV2020Constant[] = {kPatterns, kOptionalFirstEpoch, kOptionalLastEpoch};
constexpr FieldSpec kV2020EpochRange[] = {kFirstEpoch, kLastEpoch};

constexpr FieldSpec kV2020SetLearningRate[] = {
    {.name = "learning_rate", .type = Type::number, .required = true, .bounds = kRate,
     .doc = "Learning rate to set at the start: greater than 0, at most 1."},
    kOptionalFirstEpoch, kIgnoredEnd, kConstantLogging,
};

constexpr FieldSpec kV2020LearningRate[] = {
    kLrClass, kLrKwargs,
    {.name = "init_lr", .type = Type::number, .required = true, .bounds = kRate,
     .doc = "Initial learning rate: greater than 0, at most 1."},
    kFirstEpoch, kOptionalLastEpoch, kSchedulerFrequency, kConstantLogging,
};

constexpr FieldSpec kV2020Trainable[] = {
    {.name = "params", .type = Type::selectors, .required = true,
     .doc = "Parameters to select: full names, `re:` patterns matched from the start of a name, or `__ALL__`."},
    {.name = "trainable", .type = Type::truth, .required = true,
     .doc = "If true, the parameters are trained. Required, although some documentation omits it."},
    kStrict, kOptionalFirstEpoch, kOptionalLastEpoch,
};

constexpr ClassSpec k2020[] = {
    {"ConstantKSModifier", ClassKind::constant_pruning, kV2020Constant,
     "Keeps weights that are already zero at zero. Renamed to ConstantPruningModifier in 2021."},
    {"EpochRangeModifier", ClassKind::epoch_range, kV2020EpochRange,
     "Sets the minimum length of the training: it lasts at least until `end_epoch`."},
    {"GradualKSModifier", ClassKind::gradual_pruning, kGradual,
     "Prunes gradually by magnitude. Renamed to GMPruningModifier in 2021.", EndRule::after},
    {"GradualKSModifier", ClassKind::gradual_pruning, kGradualByLayer,
     "Gradually prunes one parameter of each layer by magnitude.", EndRule::after},
    {"LearningRateModifier", ClassKind::learning_rate, kV2020LearningRate,
     "Changes the learning rate with a PyTorch scheduler."},
    {"SetLearningRateModifier", ClassKind::set_learning_rate, kV2020SetLearningRate,
     "Sets the learning rate once."},
    {"TrainableParamsModifier", ClassKind::trainable, kV2020Trainable,
     "Freezes or unfreezes parameters."},
};

std::span<const ClassSpec> modifiers_of_2020() { return k2020; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
