#include "dialect/llmcompressor/records.h"

namespace sparsecfg::dialect::llmcompressor {

// One line per field if possible.
// clang-format off
using enum Accepts;

constexpr std::string_view kTypes[] = {"int", "float"};
constexpr std::string_view kStrategies[] = {"tensor", "channel", "group", "block", "token", "tensor_group", "attn_head"};
constexpr std::string_view kDynamic[] = {"local"};
constexpr std::string_view kOrders[] = {"group", "weight", "dynamic", "static"};
constexpr std::string_view kFormats[] = {
    "dense", "sparse-bitmask", "sparse-24-bitmask", "int-quantized", "float-quantized", "naive-quantized",
    "pack-quantized", "marlin-24", "nvfp4-pack-quantized", "mxfp4-pack-quantized", "mxfp8-quantized"};
constexpr std::string_view kLocations[] = {"input", "weight_input", "weight_output", "output", "k_cache", "q_attn"};

constexpr FieldSpec kArgsFields[] = {
    {.name = "num_bits", .accepts = whole, .default_value = "8", .doc = "Bits per value, 2 to 8; floats have 8 or 4."},
    {.name = "type", .accepts = choice, .default_value = "int", .choices = kTypes, .any_case = true,
     .doc = "Number type."},
    {.name = "symmetric", .accepts = boolean, .default_value = "true", .doc = "Quantize symmetrically, without a zero point."},
    {.name = "group_size", .accepts = whole, .default_value = "null", .nullable = true,
     .doc = "Columns that share a scale; -1 means the strategy channel."},
    {.name = "strategy", .accepts = choice, .default_value = "null", .nullable = true, .choices = kStrategies, .any_case = true,
     .doc = "Elements that share a scale; null: group or channel by `group_size`, else tensor."},
    {.name = "block_structure", .default_value = "null", .nullable = true,
     .doc = "Rows and columns of a block: [128, 128] or \"128x128\"."},
    {.name = "dynamic", .accepts = exact_boolean | choice, .default_value = "false", .choices = kDynamic, .any_case = true,
     .doc = "Compute scales at inference; local: only the inner scale of tensor_group."},
    {.name = "actorder", .accepts = exact_boolean | choice, .default_value = "null", .nullable = true, .choices = kOrders,
     .any_case = true, .doc = "Order in which GPTQ quantizes columns; true means group."},
    {.name = "scale_dtype", .accepts = text, .default_value = "null", .nullable = true, .doc = "Torch dtype of the scales."},
    {.name = "zp_dtype", .accepts = text, .default_value = "null", .nullable = true, .doc = "Torch dtype of the zero points."},
    {.name = "observer", .accepts = text, .default_value = "null", .nullable = true,
     .doc = "Observer that finds the range; null: memoryless_minmax, or none if dynamic."},
    {.name = "observer_kwargs", .accepts = mapping, .default_value = "{}", .doc = "Arguments of the observer."},
};
const RecordSpec kQuantizationArgs{"QuantizationArgs", kArgsFields};

constexpr std::string_view kSchemeDoc[] = {"Quantization of the weights; null: none.",
                                           "Quantization of the layer inputs; null: none.",
                                           "Quantization of the layer outputs; null: none."};
const FieldSpec kSchemeFields[] = {
    {.name = "targets", .accepts = texts, .required = true, .doc = "A list of names, `re:` patterns or classes of modules."},
    {.name = "weights", .accepts = record, .default_value = "null", .nullable = true, .record = &kQuantizationArgs, .doc = kSchemeDoc[0]},
    {.name = "input_activations", .accepts = record, .default_value = "null", .nullable = true, .record = &kQuantizationArgs, .doc = kSchemeDoc[1]},
    {.name = "output_activations", .accepts = record, .default_value = "null", .nullable = true, .record = &kQuantizationArgs, .doc = kSchemeDoc[2]},
    {.name = "format", .accepts = choice, .default_value = "null", .nullable = true, .choices = kFormats,
     .doc = "Storage format of the weights; null: chosen by the scheme."},
};
const RecordSpec kQuantizationScheme{"QuantizationScheme", kSchemeFields};

constexpr FieldSpec kAwqMappingFields[] = {
    {.name = "smooth_layer", .accepts = text, .required = true, .doc = "The module whose output is scaled."},
    {.name = "balance_layers", .accepts = texts, .required = true, .doc = "The following layers, which are scaled inversely."},
    {.name = "activation_hook_target", .accepts = text, .default_value = "null", .nullable = true,
     .doc = "The module at whose input activations are recorded."},
};
const RecordSpec kAwqMapping{"AWQMapping", kAwqMappingFields};

constexpr FieldSpec kSpinQuantMappingFields[] = {
    {.name = "embedding", .accepts = text, .required = true, .doc = "The embedding."},
    {.name = "attn", .accepts = text, .required = true, .doc = "The attention modules."},
    {.name = "attn_q", .accepts = text, .required = true, .doc = "The query layers."},
    {.name = "attn_k", .accepts = text, .required = true, .doc = "The key layers."},
    {.name = "attn_v", .accepts = text, .required = true, .doc = "The value layers."},
    {.name = "attn_o", .accepts = text, .required = true, .doc = "The output layers of attention."},
    {.name = "attn_head_dim", .accepts = whole, .default_value = "null", .nullable = true, .doc = "Width of an attention head."},
    {.name = "mlp_in", .accepts = text | texts, .required = true, .doc = "The first layers of the feed-forward part."},
    {.name = "mlp_out", .accepts = text | texts, .required = true, .doc = "The last layers of the feed-forward part."},
    {.name = "lm_head", .accepts = text, .required = true, .doc = "The output head."},
};
const RecordSpec kSpinQuantMapping{"SpinQuantMapping", kSpinQuantMappingFields, true};

constexpr FieldSpec kNormMappingFields[] = {
    {.name = "norm", .accepts = text, .required = true, .doc = "The norm that is folded into the next layers."},
    {.name = "linears", .accepts = text | texts, .required = true, .doc = "The layers that the norm is folded into."},
};
const RecordSpec kNormMapping{"NormMapping", kNormMappingFields, true};

constexpr FieldSpec kTransformArgsFields[] = {
    {.name = "targets", .accepts = texts, .required = true, .doc = "Names, `re:` patterns or classes of modules."},
    {.name = "location", .accepts = choice, .required = true, .choices = kLocations, .doc = "Places at which the rotation is inserted."},
    {.name = "inverse", .accepts = boolean, .default_value = "false", .doc = "Apply the inverse rotation there."},
    {.name = "ignore", .accepts = texts, .default_value = "[]", .doc = "Modules to skip."},
};
const RecordSpec kTransformArgs{"TransformArgs", kTransformArgsFields};

const FieldSpec kTransformSchemeFields[] = {
    {.name = "type", .accepts = text, .required = true, .doc = "hadamard, random-hadamard or random-matrix."},
    {.name = "apply", .accepts = records, .default_value = "[]", .record = &kTransformArgs, .doc = "Places at which the rotation is inserted."},
    {.name = "randomize", .accepts = boolean, .default_value = "false", .doc = "Use a separate rotation at each place."},
    {.name = "requires_grad", .accepts = boolean, .default_value = "false", .doc = "Make the rotation trainable."},
    {.name = "head_dim", .accepts = whole, .default_value = "null", .nullable = true, .doc = "Width of the rotated blocks."},
    {.name = "precision", .accepts = text, .default_value = "torch.float32", .doc = "Dtype of the computation."},
};
const RecordSpec kTransformScheme{"TransformScheme", kTransformSchemeFields};

const FieldSpec kTransformConfigFields[] = {
    {.name = "config_groups", .accepts = named_records, .required = true, .record = &kTransformScheme, .doc = "Rotations by name."},
};
const RecordSpec kTransformConfig{"TransformConfig", kTransformConfigFields};

constexpr std::string_view kTorchTypes[] = {
    "float32", "float", "float64", "double", "complex64", "cfloat", "complex128", "cdouble", "float16", "half",
    "int8", "bfloat16", "uint8", "int16", "short", "int32", "int", "int64", "long", "bool", "complex32", "chalf",
    "quint8", "float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64", "qint8", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"};

// clang-format on

std::span<const std::string_view> torch_types() { return kTorchTypes; }

const RecordSpec& quantization_args() { return kQuantizationArgs; }

const RecordSpec& quantization_scheme() { return kQuantizationScheme; }

}  // namespace sparsecfg::dialect::llmcompressor
