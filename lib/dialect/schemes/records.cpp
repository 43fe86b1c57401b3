#include "dialect/schemes/records.h"

namespace sparsecfg::dialect::schemes {

// One line per field if possible.
// clang-format off
using enum Type;

constexpr std::string_view kTypes[] = {"int", "float"};
constexpr std::string_view kStrategies[] = {"tensor", "channel", "group", "block", "token", "tensor_group", "attn_head"};
constexpr std::string_view kDynamic[] = {"local"};
constexpr std::string_view kUsualTypes[] = {"Linear"};
constexpr std::string_view kBits[] = {"8", "4"};
constexpr std::string_view kBlocks[] = {"[128, 128]"};
constexpr std::string_view kGroupSizes[] = {"128", "64", "32", "16"};
constexpr std::string_view kLocations[] = {"input", "weight_input", "weight_output", "output", "k_cache", "q_attn"};

constexpr FieldSpec kArgsFields[] = {
    {.name = "num_bits", .type = whole, .default_value = "8", .suggested = kBits, .doc = "Bits per value, 2 to 8; floats have 8 or 4."},
    {.name = "type", .type = choice, .default_value = "int", .choices = kTypes, .any_case = true,
     .doc = "Number type."},
    {.name = "symmetric", .type = boolean, .default_value = "true", .doc = "Quantize symmetrically, without a zero point."},
    {.name = "group_size", .type = whole, .default_value = "null", .suggested = kGroupSizes, .nullable = true,
     .doc = "Columns that share a scale; -1 means the strategy channel."},
    {.name = "strategy", .type = choice, .default_value = "null", .choices = kStrategies, .any_case = true, .nullable = true,
     .doc = "Elements that share a scale; null: group or channel by `group_size`, else tensor."},
    {.name = "block_structure", .default_value = "null", .suggested = kBlocks, .nullable = true,
     .doc = "Rows and columns of a block: [128, 128] or \"128x128\"."},
    {.name = "dynamic", .type = exact_boolean | choice, .default_value = "false", .choices = kDynamic, .any_case = true,
     .doc = "Compute scales at inference; local: only the inner scale of tensor_group."},
    {.name = "actorder", .type = exact_boolean | choice, .default_value = "null", .choices = kColumnOrders,
     .any_case = true, .nullable = true,
     .doc = "Order in which GPTQ quantizes columns; true means group."},
    {.name = "scale_dtype", .type = text, .default_value = "null", .suggested = kScaleTypes, .nullable = true, .doc = "Torch dtype of the scales."},
    {.name = "zp_dtype", .type = text, .default_value = "null", .suggested = kZeroPointTypes, .nullable = true, .doc = "Torch dtype of the zero points."},
    {.name = "observer", .type = text, .default_value = "null", .suggested = kObservers, .nullable = true,
     .doc = "Observer that finds the range; null: memoryless_minmax, or none if dynamic."},
    {.name = "observer_kwargs", .type = mapping, .default_value = "{}", .doc = "Arguments of the observer."},
};
const ClassSpec kQuantizationArgs{.name = "QuantizationArgs", .fields = kArgsFields, .doc = "How one kind of tensors is quantized."};

constexpr std::string_view kSchemeDoc[] = {"Quantization of the weights; null: none.",
                                           "Quantization of the layer inputs; null: none.",
                                           "Quantization of the layer outputs; null: none."};
const FieldSpec kSchemeFields[] = {
    {.name = "targets", .type = texts, .required = true, .suggested = kUsualTypes, .doc = "A list of names, `re:` patterns or classes of modules."},
    {.name = "weights", .type = record, .default_value = "null", .record = &kQuantizationArgs, .nullable = true, .doc = kSchemeDoc[0]},
    {.name = "input_activations", .type = record, .default_value = "null", .record = &kQuantizationArgs, .nullable = true, .doc = kSchemeDoc[1]},
    {.name = "output_activations", .type = record, .default_value = "null", .record = &kQuantizationArgs, .nullable = true, .doc = kSchemeDoc[2]},
    {.name = "format", .type = choice, .default_value = "null", .choices = kFormats, .nullable = true,
     .doc = "Storage format of the weights; null: chosen by the scheme."},
};
const ClassSpec kQuantizationScheme{.name = "QuantizationScheme", .fields = kSchemeFields, .doc = "One group of `config_groups`."};

constexpr FieldSpec kTransformArgsFields[] = {
    {.name = "targets", .type = text | texts, .required = true, .doc = "Names, `re:` patterns or classes of modules."},
    {.name = "location", .type = choice, .required = true, .choices = kLocations, .doc = "Places at which the rotation is inserted."},
    {.name = "inverse", .type = boolean, .default_value = "false", .doc = "Apply the inverse rotation there."},
    {.name = "ignore", .type = text | texts, .default_value = "[]", .doc = "Modules to skip."},
};
const ClassSpec kTransformArgs{.name = "TransformArgs", .fields = kTransformArgsFields};

const FieldSpec kTransformSchemeFields[] = {
    {.name = "type", .type = text, .required = true, .suggested = kRotations, .doc = "hadamard, random-hadamard or random-matrix."},
    {.name = "apply", .type = records, .default_value = "[]", .record = &kTransformArgs, .doc = "Places at which the rotation is inserted."},
    {.name = "randomize", .type = boolean, .default_value = "false", .doc = "Use a separate rotation at each place."},
    {.name = "requires_grad", .type = boolean, .default_value = "false", .doc = "Make the rotation trainable."},
    {.name = "head_dim", .type = whole, .default_value = "null", .nullable = true, .doc = "Width of the rotated blocks."},
    {.name = "precision", .type = text, .default_value = "torch.float32", .suggested = kScaleTypes, .doc = "Dtype of the computation."},
};
const ClassSpec kTransformScheme{.name = "TransformScheme", .fields = kTransformSchemeFields};

const FieldSpec kTransformConfigFields[] = {
    {.name = "config_groups", .type = named_records, .required = true, .record = &kTransformScheme, .doc = "Rotations by name."},
};
const ClassSpec kTransformConfig{.name = "TransformConfig", .fields = kTransformConfigFields};

constexpr std::string_view kTorchTypes[] = {
    "float32", "float", "float64", "double", "complex64", "cfloat", "complex128", "cdouble", "float16", "half",
    "int8", "bfloat16", "uint8", "int16", "short", "int32", "int", "int64", "long", "bool", "complex32", "chalf",
    "quint8", "float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64", "qint8", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"};

// clang-format on

std::span<const std::string_view> torch_types() { return kTorchTypes; }

}  // namespace sparsecfg::dialect::schemes
