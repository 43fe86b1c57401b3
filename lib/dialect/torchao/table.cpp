#include "dialect/torchao/table.h"

#include <algorithm>
#include <iterator>

#include "dialect/quantizers/rows.h"

namespace sparsecfg::dialect::torchao {

using quantizers::optional;
using quantizers::required;

constexpr FieldSpec kInt4WeightOnlyConfigFields[] = {
    optional("group_size", Type::integer, "128",
             "Weights that share a scale. Layers whose columns it does not divide stay unquantized."),
    optional("set_inductor_config", Type::truth, "true", "true changes settings of the compiler."),
    optional("int4_packing_format", Type::any, "PLAIN", "Layout of the packed weights."),
    optional("int4_choose_qparams_algorithm", Type::any, "TINYGEMM", "Algorithm that chooses scales."),
    optional("int4_tile_packed_ntile", Type::any, "8", "Size of tiles."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kInt8WeightOnlyConfigFields[] = {
    optional("group_size", Type::integer, "null", "Must be null with version 2."),
    optional("granularity", Type::any, "PerRow", "Weights that share a scale."),
    optional("set_inductor_config", Type::truth, "true", "true changes settings of the compiler."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kInt8DynamicActivationInt8WeightConfigFields[] = {
    optional("act_mapping_type", Type::any, "SYMMETRIC", "Mapping of inputs."),
    optional("weight_only_decode", Type::truth, "false", "true uses only weights for single tokens."),
    optional("granularity", Type::any, "PerRow", "Values that share a scale."),
    optional("set_inductor_config", Type::truth, "true", "true changes settings of the compiler."),
    optional("reduce_range", Type::truth, "false", "true uses 7 bits."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kInt8DynamicActivationIntxWeightConfigFields[] = {
    optional("weight_dtype", Type::any, "torch.int8", "Type of the weights: torch.int1 to torch.int8."),
    optional("weight_granularity", Type::any, "PerGroup(32)", "Weights that share a scale."),
    optional("weight_mapping_type", Type::any, "SYMMETRIC", "Mapping of weights."),
    optional("weight_scale_dtype", Type::any, "null", "Type of the scales."),
    optional("act_mapping_type", Type::any, "ASYMMETRIC", "Mapping of inputs."),
    optional("intx_packing_format", Type::any, "UNPACKED_TO_INT8", "Layout of the weights."),
    optional("intx_choose_qparams_algorithm", Type::any, "AFFINE", "Algorithm that chooses scales."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kIntxWeightOnlyConfigFields[] = {
    optional("weight_dtype", Type::any, "torch.int8", "Type of the weights: torch.int1 to torch.int8."),
    optional("granularity", Type::any, "PerAxis(0)", "Weights that share a scale."),
    optional("mapping_type", Type::any, "SYMMETRIC", "Mapping of weights."),
    optional("scale_dtype", Type::any, "null", "Type of the scales."),
    optional("intx_packing_format", Type::any, "UNPACKED_TO_INT8", "Layout of the weights."),
    optional("intx_choose_qparams_algorithm", Type::any, "AFFINE", "Algorithm that chooses scales."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kFloat8WeightOnlyConfigFields[] = {
    optional("weight_dtype", Type::any, "torch.float8_e4m3fn", "Type of the weights."),
    optional("set_inductor_config", Type::truth, "true", "true changes settings of the compiler."),
    optional("granularity", Type::any, "PerRow", "Weights that share a scale."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kFloat8DynamicActivationFloat8WeightConfigFields[] = {
    optional("activation_dtype", Type::any, "torch.float8_e4m3fn", "Type of the inputs."),
    optional("weight_dtype", Type::any, "torch.float8_e4m3fn", "Type of the weights."),
    optional("granularity", Type::any, "PerTensor", "Values that share a scale: PerTensor, PerRow or PerBlock."),
    optional("packing_format", Type::any, "PLAIN", "Layout of the weights."),
    optional("mm_config", Type::any, "null", "Settings of the product."),
    optional("activation_value_lb", Type::any, "null", "Lower bound of inputs."),
    optional("activation_value_ub", Type::any, "null", "Upper bound of inputs."),
    optional("kernel_preference", Type::any, "AUTO", "Kernel."),
    optional("set_inductor_config", Type::truth, "true", "true changes settings of the compiler."),
    optional("alg_id", Type::any, "0", "Algorithm of the product."),
    optional("version", Type::integer, "2", "Version of the class. Others are removed."),
};
constexpr FieldSpec kFloat8DynamicActivationInt4WeightConfigFields[] = {
    optional("int4_packing_format", Type::any, "preshuffled", "Layout of the weights."),
};
constexpr FieldSpec kMXDynamicActivationMXWeightConfigFields[] = {
    optional("block_size", Type::any, "32", "Values that share a scale."),
    optional("activation_dtype", Type::any, "torch.float8_e4m3fn", "Type of the inputs."),
    optional("weight_dtype", Type::any, "torch.float8_e4m3fn", "Type of the weights."),
    optional("kernel_preference", Type::any, "AUTO", "Kernel."),
    optional("scaling_mode", Type::any, "RCEIL", "Rounding of scales."),
};
constexpr FieldSpec kNVFP4DynamicActivationNVFP4WeightConfigFields[] = {
    optional("use_triton_kernel", Type::truth, "true", "true uses a Triton kernel."),
    optional("use_dynamic_per_tensor_scale", Type::truth, "true", "true adds a scale of the tensor."),
    optional("step", Type::any, "null", "Step of a preparation."),
};
constexpr FieldSpec kNVFP4WeightOnlyConfigFields[] = {
    optional("use_dynamic_per_tensor_scale", Type::truth, "true", "true adds a scale of the tensor."),
};
constexpr FieldSpec kInt8DynamicActivationUIntxWeightConfigFields[] = {
    optional("group_size", Type::any, "128", "Weights that share a scale. null is a row."),
    optional("bit_width", Type::integer, "4", "Bits of the weights: 4 or 8."),
    optional("packing_bitwidth", Type::any, "null", "Width of packing."),
    optional("set_inductor_config", Type::truth, "true", "true changes settings of the compiler."),
};
constinit const ClassSpec kInt4WeightOnlyConfig{.name{"Int4WeightOnlyConfig"},
                                                .fields = kInt4WeightOnlyConfigFields,
                                                .doc = "Integers of 4 bits with zero points, in groups.",
                                                .flags = 2,
                                                .open = false};
constinit const ClassSpec kInt8WeightOnlyConfig{.name{"Int8WeightOnlyConfig"},
                                                .fields = kInt8WeightOnlyConfigFields,
                                                .doc = "Integers of 8 bits, one scale for each row.",
                                                .flags = 2,
                                                .open = false};
constinit const ClassSpec kInt8DynamicActivationInt8WeightConfig{.name{"Int8DynamicActivationInt8WeightConfig"},
                                                                 .fields = kInt8DynamicActivationInt8WeightConfigFields,
                                                                 .doc = "Weights and inputs of 8 bits.",
                                                                 .flags = 2,
                                                                 .open = false};
constinit const ClassSpec kInt8DynamicActivationIntxWeightConfig{.name{"Int8DynamicActivationIntxWeightConfig"},
                                                                 .fields = kInt8DynamicActivationIntxWeightConfigFields,
                                                                 .doc = "Inputs of 8 bits, weights of 1 to 8 bits.",
                                                                 .flags = 2,
                                                                 .open = false};
constinit const ClassSpec kIntxWeightOnlyConfig{.name{"IntxWeightOnlyConfig"},
                                                .fields = kIntxWeightOnlyConfigFields,
                                                .doc = "Integers of 1 to 8 bits.",
                                                .flags = 2,
                                                .open = false};
constinit const ClassSpec kFloat8WeightOnlyConfig{.name{"Float8WeightOnlyConfig"},
                                                  .fields = kFloat8WeightOnlyConfigFields,
                                                  .doc = "Floats of 8 bits, one scale for each row.",
                                                  .flags = 2,
                                                  .open = false};
constinit const ClassSpec kFloat8DynamicActivationFloat8WeightConfig{
    .name{"Float8DynamicActivationFloat8WeightConfig"},
    .fields = kFloat8DynamicActivationFloat8WeightConfigFields,
    .doc = "Weights and inputs as floats of 8 bits.",
    .flags = 2,
    .open = false};
constinit const ClassSpec kFloat8DynamicActivationInt4WeightConfig{
    .name{"Float8DynamicActivationInt4WeightConfig"},
    .fields = kFloat8DynamicActivationInt4WeightConfigFields,
    .doc = "Inputs as floats of 8 bits, weights as integers of 4 bits.",
    .flags = 1,
    .open = false};
constinit const ClassSpec kMXDynamicActivationMXWeightConfig{.name{"MXDynamicActivationMXWeightConfig"},
                                                             .fields = kMXDynamicActivationMXWeightConfigFields,
                                                             .doc = "Weights and inputs in MX formats.",
                                                             .flags = 1,
                                                             .open = false};
constinit const ClassSpec kNVFP4DynamicActivationNVFP4WeightConfig{
    .name{"NVFP4DynamicActivationNVFP4WeightConfig"},
    .fields = kNVFP4DynamicActivationNVFP4WeightConfigFields,
    .doc = "Weights and inputs in NVFP4.",
    .flags = 1,
    .open = false};
constinit const ClassSpec kNVFP4WeightOnlyConfig{.name{"NVFP4WeightOnlyConfig"},
                                                 .fields = kNVFP4WeightOnlyConfigFields,
                                                 .doc = "Weights in NVFP4.",
                                                 .flags = 1,
                                                 .open = false};
constinit const ClassSpec kInt8DynamicActivationUIntxWeightConfig{
    .name{"Int8DynamicActivationUIntxWeightConfig"},
    .fields = kInt8DynamicActivationUIntxWeightConfigFields,
    .doc = "Inputs of 8 bits, packed weights of 1 to 7 bits.",
    .flags = 1,
    .open = false};
constexpr FieldSpec kAWQConfigFields[] = {
    required("base_config", Type::any, "Configuration of the weights."),
    required("step", Type::any, "`prepare`, `convert` or `prepare_for_loading`."),
    optional("scale_search_space_size", Type::integer, "20", "Number of scales to search."),
};
constexpr FieldSpec kSmoothQuantConfigFields[] = {
    required("base_config", Type::any, "Configuration of the weights and inputs."),
    required("step", Type::any, "`prepare`, `convert` or `prepare_for_loading`."),
    optional("alpha", Type::any, "0.5", "Strength of the smoothing."),
    optional("use_running_absmax", Type::truth, "false", "true observes with less memory."),
};
constexpr FieldSpec kQatConfigFields[] = {
    optional("base_config", Type::any, "null", "Configuration that the training simulates and `convert` applies."),
    optional("activation_config", Type::any, "null", "Simulated quantization of inputs, without a base."),
    optional("weight_config", Type::any, "null", "Simulated quantization of weights, without a base."),
    optional("step", Type::any, "prepare", "`prepare` before the training, `convert` after it."),
};
constinit const ClassSpec kQatConfig{.name{"QATConfig"},
                                     .fields = kQatConfigFields,
                                     .doc = "Training with simulated quantization. Not in files.",
                                     .flags = 1,
                                     .open = false};
constinit const ClassSpec kAWQConfig{.name{"AWQConfig"},
                                     .fields = kAWQConfigFields,
                                     .doc = "AWQ around another configuration.",
                                     .flags = 1,
                                     .open = true};
constinit const ClassSpec kSmoothQuantConfig{.name{"SmoothQuantConfig"},
                                             .fields = kSmoothQuantConfigFields,
                                             .doc = "SmoothQuant around another configuration.",
                                             .flags = 1,
                                             .open = true};

constexpr FieldSpec kMapFields[] = {
    required("fqn_to_config", Type::any_mapping,
             "Configurations by name of a module or parameter. `re:` marks a pattern, null keeps a module."),
    optional("module_fqn_to_config", Type::any_mapping, "fqn_to_config", "Old name of `fqn_to_config`."),
};

constinit const ClassSpec kFqnToConfig{
    .name{"FqnToConfig"},
    .fields = kMapFields,
    .doc = "Different configurations for modules. `quantize_` requires `filter_fn=None`."};

constexpr FieldSpec kTorchAoFields[] = {
    optional("quant_method", Type::text, "torchao", "`torchao`."),
    required("quant_type", Type::any_mapping, "The configuration, in files under the key `default`."),
    optional("modules_to_not_convert", Type::texts, "null",
             "Layers that stay unquantized. A list replaces the default, which is the output layer."),
    optional("include_input_output_embeddings", Type::truth, "false",
             "true also quantizes embeddings and the output layer."),
    optional("untie_embedding_weights", Type::truth, "false",
             "true separates weights that are shared with embeddings."),
    optional("quant_type_kwargs", Type::any, "null", "Removed, with names of types as strings."),
};

constinit const ClassSpec kTorchAoConfig{.name{"TorchAoConfig"},
                                         .fields = kTorchAoFields,
                                         .doc = "Configuration of transformers. Saved as `quantization_config`.",
                                         .open = true};

constexpr FieldSpec kQuantizeFields[] = {
    required("model", Type::any, "The model, which is changed."),
    required("config", Type::any, "A configuration, or `FqnToConfig`."),
    optional("filter_fn", Type::any, "all Linear layers",
             "Function that selects modules. Must be `None` for `FqnToConfig`."),
    optional("device", Type::any, "null", "Device to which modules are moved first."),
};

constinit const ClassSpec kQuantize{
    .name{"quantize_"}, .fields = kQuantizeFields, .doc = "Quantizes a model with torchao."};

constexpr const ClassSpec* kConfigClasses[] = {&kInt4WeightOnlyConfig,
                                               &kInt8WeightOnlyConfig,
                                               &kInt8DynamicActivationInt8WeightConfig,
                                               &kInt8DynamicActivationIntxWeightConfig,
                                               &kIntxWeightOnlyConfig,
                                               &kFloat8WeightOnlyConfig,
                                               &kFloat8DynamicActivationFloat8WeightConfig,
                                               &kFloat8DynamicActivationInt4WeightConfig,
                                               &kMXDynamicActivationMXWeightConfig,
                                               &kNVFP4DynamicActivationNVFP4WeightConfig,
                                               &kNVFP4WeightOnlyConfig,
                                               &kInt8DynamicActivationUIntxWeightConfig,
                                               &kAWQConfig,
                                               &kSmoothQuantConfig};
constexpr const ClassSpec* kClasses[] = {&kQuantize,
                                         &kTorchAoConfig,
                                         &kFqnToConfig,
                                         &kQatConfig,
                                         &kInt4WeightOnlyConfig,
                                         &kInt8WeightOnlyConfig,
                                         &kInt8DynamicActivationInt8WeightConfig,
                                         &kInt8DynamicActivationIntxWeightConfig,
                                         &kIntxWeightOnlyConfig,
                                         &kFloat8WeightOnlyConfig,
                                         &kFloat8DynamicActivationFloat8WeightConfig,
                                         &kFloat8DynamicActivationInt4WeightConfig,
                                         &kMXDynamicActivationMXWeightConfig,
                                         &kNVFP4DynamicActivationNVFP4WeightConfig,
                                         &kNVFP4WeightOnlyConfig,
                                         &kInt8DynamicActivationUIntxWeightConfig,
                                         &kAWQConfig,
                                         &kSmoothQuantConfig};

// The releases come from the tags of the repository that contain the commit of the change.
static constexpr quantizers::Defect kDefectRows[] = {{"TA103", "0.18"}, {"TA220", "0.18"}};

constexpr std::span<const quantizers::Defect> kDefects = kDefectRows;

std::span<const ClassSpec* const> classes() { return kClasses; }

std::span<const ClassSpec* const> config_classes() { return kConfigClasses; }

const ClassSpec* find_class(std::string_view name) {
  if (name == kQatConfig.name) return &kQatConfig;
  const auto* const* found = std::ranges::find(kConfigClasses, name, &ClassSpec::name);
  return found == std::end(kConfigClasses) ? nullptr : *found;
}

bool is_wrapper(const ClassSpec& spec) {
  return &spec == &kQatConfig || &spec == &kAWQConfig || &spec == &kSmoothQuantConfig;
}

}  // namespace sparsecfg::dialect::torchao
