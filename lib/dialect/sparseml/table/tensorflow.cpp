#include "dialect/sparseml/table/parts.h"

// Modifiers that Keras and TensorFlow 1 read in their own way. Facts: reference/sparseml.md B.8.
namespace sparsecfg::dialect::sparseml {

constexpr FieldSpec kTensorFlowGmPruning[] = {
    kParams,
    kInitSparsity,
    {.name = "final_sparsity",
     .type = Type::real,
     .required = true,
     .bounds = kInnerFraction,
     .listed = true,
     .doc = "Sparsity at the end, between 0.0 and 1.0."},
    kStart,
    kRampEnd,
    kFrequency,
    kInterFunc,
    kDimensionMask,
    {.name = "leave_enabled",
     .type = Type::boolean,
     .default_value = "true",
     .doc = "Only true: the mask stays in force after the end."},
};

constexpr FieldSpec kTensorFlowConstant[] = {kParams, kOptionalStart, kOptionalEnd};
constexpr FieldSpec kTensorFlowSetLearningRate[] = {kLearningRateToSet, kOptionalStart, kIgnoredEnd};
constexpr FieldSpec kTensorFlowLearningRate[] = {kLrClass, kLrKwargs,    kInitLr,
                                                 kStart,   kOptionalEnd, kSchedulerFrequency};

constexpr ModifierSpec kTensorFlow[] = {
    {"ConstantPruningModifier", Meaning::constant_pruning, EndRule::none, kTensorFlowConstant,
     "Keeps the zeros that the parameters have."},
    {"GMPruningModifier", Meaning::gradual_pruning, EndRule::after, kTensorFlowGmPruning,
     "Prunes gradually by magnitude."},
    {"LearningRateModifier", Meaning::learning_rate, EndRule::unset_or_after, kTensorFlowLearningRate,
     "Moves the learning rate along a schedule."},
    {"SetLearningRateModifier", Meaning::set_learning_rate, EndRule::none, kTensorFlowSetLearningRate,
     "Sets the learning rate once."},
};

std::span<const ModifierSpec> tensorflow_modifiers() { return kTensorFlow; }

}  // namespace sparsecfg::dialect::sparseml
