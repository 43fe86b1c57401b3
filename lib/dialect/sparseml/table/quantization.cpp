#include "dialect/sparseml/table/fields.h"

// Quantization and distillation. Source: docs/semantics/sparseml.md#b6, #b7.
namespace sparsecfg::dialect::sparseml {

// One field per line where possible.
// clang-format off
constexpr FieldSpec kQuantizationEnd{
    .name = "end_epoch", .type = Type::number, .default_value = "-1.0",
    .doc = "Must be -1: quantization never ends."};
constexpr FieldSpec kObserverEpoch{
    .name = "disable_quantization_observer_epoch", .type = Type::number, .default_value = "null", .nullable = true,
    .doc = "Epoch at which the observer ranges are frozen. Must not be before the start.", .unit = Unit::epochs};
constexpr FieldSpec kFreezeEpoch{
    .name = "freeze_bn_stats_epoch", .type = Type::number, .default_value = "null", .nullable = true,
    .doc = "Epoch at which the batch norm statistics are frozen. Must not be before the start.", .unit = Unit::epochs};
constexpr std::string_view kFuseFunctions[] = {"no_fuse"};
constexpr FieldSpec kFuseName{
    .name = "model_fuse_fn_name", .type = Type::text, .default_value = "null", .suggested = kFuseFunctions, .nullable = true,
    .doc = "Name of the model method that fuses layers. `no_fuse` disables fusing."};
constexpr FieldSpec kFuseKwargs{
    .name = "model_fuse_fn_kwargs", .type = Type::any_mapping, .default_value = "null", .nullable = true,
    .doc = "Arguments of the layer fusion function."};
constexpr FieldSpec kCalibration{
    .name = "num_calibration_steps", .type = Type::any, .default_value = "null", .nullable = true,
    .doc = "Number of calibration batches at the start. The caller must provide a data loader."};

constexpr FieldSpec kScheme[] = {
    kOptionalStart, kQuantizationEnd,
    {.name = "scheme", .type = Type::any, .default_value = "null", .suggested = kQuantizationSchemes, .nullable = true,
     .doc = "Quantization scheme: `default`, `deepsparse`, `tensorrt`, or a mapping of `input_activations`, `weights`, "
            "`output_activations` and `target_hardware`."},
    {.name = "scheme_overrides", .type = Type::any_mapping, .default_value = "null", .nullable = true,
     .doc = "Schemes for individual layers, keyed by layer name or type."},
    {.name = "ignore", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Names or types of layers that are not quantized."},
    kObserverEpoch, kFreezeEpoch, kFuseName, kFuseKwargs, kCalibration,
    {.name = "strict", .type = Type::truth, .default_value = "true",
     .doc = "If true, every name in the overrides and in `ignore` must exist in the model."},
};

constexpr FieldSpec kLegacy[] = {
    kOptionalStart, kQuantizationEnd,
    {.name = "submodules", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Submodules to quantize. null means the whole model."},
    kFuseName, kObserverEpoch, kFreezeEpoch,
    {.name = "quantize_embeddings", .type = Type::truth, .default_value = "true",
     .doc = "If true, quantize embeddings."},
    {.name = "reduce_range", .type = Type::truth, .default_value = "false",
     .doc = "If true, reduce the range by one bit."},
    {.name = "quantize_linear_activations", .type = Type::truth, .default_value = "true",
     .doc = "If true, quantize the outputs of linear layers."},
    {.name = "quantize_conv_activations", .type = Type::truth, .default_value = "true",
     .doc = "If true, quantize the outputs of convolutions."},
    {.name = "quantize_embedding_activations", .type = Type::truth, .default_value = "true",
     .doc = "If true, quantize the outputs of embeddings."},
    {.name = "activation_bits", .type = Type::any, .default_value = "null", .nullable = true,
     .doc = "Number of bits of activations. null means 8."},
    {.name = "weight_bits", .type = Type::any, .default_value = "8", .doc = "Number of bits of weights."},
    kCalibration,
    {.name = "exclude_batchnorm", .type = Type::truth, .default_value = "true",
     .doc = "If true, exclude batch norms."},
    {.name = "exclude_module_types", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Module types to exclude."},
    {.name = "custom_quantizable_module_types", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Additional module types to quantize."},
    {.name = "activation_qconfig_kwargs", .type = Type::any_mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of the activation observers."},
    {.name = "weight_qconfig_kwargs", .type = Type::any_mapping, .default_value = "null", .nullable = true,
     .doc = "Arguments of the weight observers."},
    {.name = "tensorrt", .type = Type::truth, .default_value = "false",
     .doc = "If true, quantize for TensorRT: layer activations are not quantized and layers are not fused."},
    kFuseKwargs,
};

constexpr FieldSpec kDistillationFrequency{
    .name = "update_frequency", .type = Type::any, .default_value = "-1.0",
    .no_effect = "the loss is distilled at every step", .doc = "No effect: the loss is distilled at every step."};

constexpr FieldSpec kDistillation[] = {
    kOptionalStart, kOptionalEnd,
    {.name = "distill_output_keys", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Outputs to distill. null means all outputs."},
    {.name = "teacher_input_keys", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Inputs to pass to the teacher. null means all inputs."},
    kDistillationFrequency,
    {.name = "hardness", .type = Type::number, .default_value = "0.5", .phase = Moment::step,
     .doc = "Fraction of the loss that comes from the teacher, 0 to 1."},
    {.name = "temperature", .type = Type::number, .default_value = "2.0", .phase = Moment::step,
     .doc = "Softmax temperature, greater than 0."},
};

constexpr FieldSpec kPerLayer[] = {
    {.name = "gain", .type = Type::number, .default_value = "1.5", .phase = Moment::step,
     .doc = "Factor by which the layer loss is multiplied."},
    kOptionalStart, kOptionalEnd, kDistillationFrequency,
    {.name = "normalize", .type = Type::truth, .default_value = "true",
     .doc = "If true, normalize outputs before they are compared."},
    {.name = "student_layer_names", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Student layers. null means the same names as the teacher layers."},
    {.name = "teacher_layer_names", .type = Type::list, .default_value = "null", .nullable = true,
     .doc = "Teacher layers. null means the same names as the student layers."},
    {.name = "project_features", .type = Type::truth, .default_value = "true",
     .doc = "If true, train a projection where shapes differ."},
    {.name = "epsilon", .type = Type::number, .default_value = "0.000001", .phase = Moment::step,
     .doc = "Small constant that prevents division by zero in the normalization."},
};

constexpr ClassSpec kQuantization[] = {
    {"DistillationModifier", ClassKind::distillation, kDistillation,
     "Adds the difference from the teacher outputs to the loss.", EndRule::unset_or_after},
    {"PerLayerDistillationModifier", ClassKind::distillation, kPerLayer,
     "Adds the difference from the teacher features to the loss, layer by layer.", EndRule::unset_or_after},
    {"QuantizationModifier", ClassKind::quantization, kScheme,
     "Starts quantization-aware training, configured by schemes."},
    {"QuantizationModifier", ClassKind::legacy_quantization, kLegacy,
     "Starts quantization-aware training, configured by the older fields.", EndRule::none, kIn2020},
};

std::span<const ClassSpec> quantization_modifiers() { return kQuantization; }

// clang-format on

}  // namespace sparsecfg::dialect::sparseml
