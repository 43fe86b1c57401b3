#include "dialect/sparseml/table/parts.h"

// Quantization and distillation. Facts: reference/sparseml.md B.6 and B.7.
namespace sparsecfg::dialect::sparseml {

// A field is a line where it can be.
// clang-format off
constexpr FieldSpec kQuantizationEnd{
    .name = "end_epoch", .type = Type::number, .default_value = "-1.0",
    .doc = "Only -1: quantization never ends."};
constexpr FieldSpec kObserverEpoch{
    .name = "disable_quantization_observer_epoch", .type = Type::number, .default_value = "null", .nullable = true,
    .doc = "Epoch from which the observers keep their ranges; not before the start.", .unit = Unit::epochs};
constexpr FieldSpec kFreezeEpoch{
    .name = "freeze_bn_stats_epoch", .type = Type::number, .default_value = "null", .nullable = true,
    .doc = "Epoch from which batch norms keep their statistics; not before the start.", .unit = Unit::epochs};
constexpr FieldSpec kFuseName{
    .name = "model_fuse_fn_name", .type = Type::text, .default_value = "null", .nullable = true,
    .doc = "Function that fuses the model's layers; `no_fuse` leaves them alone."};
constexpr FieldSpec kFuseKwargs{
    .name = "model_fuse_fn_kwargs", .type = Type::mapping, .default_value = "null", .nullable = true,
    .doc = "Arguments of that function."};
constexpr FieldSpec kCalibration{
    .name = "num_calibration_steps", .type = Type::any, .default_value = "null", .nullable = true,
    .doc = "Batches to calibrate on at the start; they need a loader from the caller."};

constexpr FieldSpec kScheme[] = {
    kOptionalStart, kQuantizationEnd,
    {.name = "scheme", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "`default`, `deepsparse`, `tensorrt`, or a mapping of `input_activations`, `weights`, "
            "`output_activations` and `target_hardware`."},
    {.name = "scheme_overrides", .type = Type::mapping, .default_value = "null", .nullable = true,
     .doc = "Layer names or types to schemes of their own."},
    {.name = "ignore", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Layer names or types that are not quantized."},
    kObserverEpoch, kFreezeEpoch, kFuseName, kFuseKwargs, kCalibration,
    {.name = "strict", .type = Type::boolean, .default_value = "true",
     .doc = "Whether every override and every ignored name must exist."},
};

constexpr FieldSpec kLegacy[] = {
    kOptionalStart, kQuantizationEnd,
    {.name = "submodules", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Submodules to quantize; null: the whole model."},
    kFuseName, kObserverEpoch, kFreezeEpoch,
    {.name = "quantize_embeddings", .type = Type::boolean, .default_value = "true", .doc = "Whether embeddings are quantized."},
    {.name = "reduce_range", .type = Type::boolean, .default_value = "false", .doc = "Whether one bit less is used."},
    {.name = "quantize_linear_activations", .type = Type::boolean, .default_value = "true",
     .doc = "Whether the outputs of linear layers are quantized."},
    {.name = "quantize_conv_activations", .type = Type::boolean, .default_value = "true",
     .doc = "Whether the outputs of convolutions are quantized."},
    {.name = "quantize_embedding_activations", .type = Type::boolean, .default_value = "true",
     .doc = "Whether the outputs of embeddings are quantized."},
    {.name = "activation_bits", .type = Type::any, .default_value = "null", .nullable = true, .doc = "Bits of activations; 8 if null."},
    {.name = "weight_bits", .type = Type::any, .default_value = "8", .doc = "Bits of weights."},
    kCalibration,
    {.name = "exclude_batchnorm", .type = Type::boolean, .default_value = "true", .doc = "Whether batch norms are left out."},
    {.name = "exclude_module_types", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Types of modules that are left out."},
    {.name = "custom_quantizable_module_types", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Further types of modules that are quantized."},
    {.name = "activation_qconfig_kwargs", .type = Type::mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of the observers of activations."},
    {.name = "weight_qconfig_kwargs", .type = Type::mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of the observers of weights."},
    {.name = "tensorrt", .type = Type::boolean, .default_value = "false",
     .doc = "Whether to quantize for TensorRT: no activations of layers, nothing fused."},
    kFuseKwargs,
};

constexpr FieldSpec kDistillationFrequency{
    .name = "update_frequency", .type = Type::any, .default_value = "-1.0",
    .no_effect = "the loss is distilled at every step", .doc = "Without effect: the loss is distilled at every step."};

constexpr FieldSpec kDistillation[] = {
    kOptionalStart, kOptionalEnd,
    {.name = "distill_output_keys", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Outputs to distil; null: all of them."},
    {.name = "teacher_input_keys", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Inputs that the teacher is given; null: all of them."},
    kDistillationFrequency,
    {.name = "hardness", .type = Type::number, .default_value = "0.5", .phase = Moment::step,
     .doc = "Share of the teacher in the loss, 0 to 1."},
    {.name = "temperature", .type = Type::number, .default_value = "2.0", .phase = Moment::step,
     .doc = "Temperature of the softmax, above 0."},
};

constexpr FieldSpec kPerLayer[] = {
    {.name = "gain", .type = Type::number, .default_value = "1.5", .phase = Moment::step, .doc = "Factor of the layers' loss."},
    kOptionalStart, kOptionalEnd, kDistillationFrequency,
    {.name = "normalize", .type = Type::boolean, .default_value = "true", .doc = "Whether outputs are normalized first."},
    {.name = "student_layer_names", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Layers of the student; null: those of the teacher."},
    {.name = "teacher_layer_names", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Layers of the teacher; null: those of the student."},
    {.name = "project_features", .type = Type::boolean, .default_value = "true",
     .doc = "Whether a projection is trained where shapes differ."},
    {.name = "epsilon", .type = Type::number, .default_value = "0.000001", .phase = Moment::step,
     .doc = "What keeps the normalization from dividing by zero."},
};

constexpr ModifierSpec kQuantization[] = {
    {"DistillationModifier", Meaning::distillation, EndRule::unset_or_after, kDistillation,
     "Adds the teacher's outputs to the loss."},
    {"PerLayerDistillationModifier", Meaning::distillation, EndRule::unset_or_after, kPerLayer,
     "Adds the teacher's features, layer by layer, to the loss."},
    {"QuantizationModifier", Meaning::quantization, EndRule::none, kScheme,
     "Starts quantization-aware training, described by schemes."},
    {"QuantizationModifier", Meaning::legacy_quantization, EndRule::none, kLegacy,
     "Starts quantization-aware training, described by the older fields.", kIn2020},
};

std::span<const ModifierSpec> quantization_modifiers() { return kQuantization; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
