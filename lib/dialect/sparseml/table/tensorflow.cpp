#include "dialect/sparseml/table/parts.h"

// Modifiers that Keras and TensorFlow 1 read differently from PyTorch. Source: reference/sparseml.md B.8.
namespace sparsecfg::dialect::sparseml {

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
    {"ConstantPruningModifier", Meaning::constant_pruning, kTensorFlowConstant,
     "Keeps weights that are already zero at zero."},
    {"GMPruningModifier", Meaning::gradual_pruning, kTensorFlowGmPruning, "Prunes gradually by magnitude.",
     EndRule::after},
    {"LearningRateModifier", Meaning::learning_rate, kTensorFlowLearningRate,
     "Changes the learning rate with a scheduler.", EndRule::unset_or_after},
    {"SetLearningRateModifier", Meaning::set_learning_rate, kTensorFlowSetLearningRate, "Sets the learning rate once."},
};

std::span<const ClassSpec> tensorflow_modifiers() { return kTensorFlow; }

}  // namespace sparsecfg::dialect::sparseml
