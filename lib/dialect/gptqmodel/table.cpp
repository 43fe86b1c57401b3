#include "dialect/gptqmodel/table.h"

#include "dialect/quantizers/rows.h"

namespace sparsecfg::dialect::gptqmodel {

using quantizers::optional;
using quantizers::required;

constexpr FieldSpec kConfigFields[] = {
    optional("bits", Type::any, "4",
             "Bits of the weights: 2 to 8 for GPTQ and AWQ. The name of a GGUF type selects GGUF."),
    optional("group_size", Type::integer, "128",
             "Weights that share a scale. -1 is one group for each output channel."),
    optional("sym", Type::truth, "true", "true stores symmetric integers, without zero points."),
    optional("desc_act", Type::truth, "false",
             "true quantizes columns in the order of their activations. It disables `act_group_aware`."),
    optional("act_group_aware", Type::truth, "true",
             "true orders whole groups by their activations. Not together with `desc_act`."),
    optional("dynamic", Type::any_mapping, "{}",
             "Values for layers by pattern. `-:` excludes a layer, the first other match decides."),
    optional("lm_head", Type::truth, "false", "true also quantizes the output layer."),
    optional("method", Type::text, "gptq",
             "`gptq`, `awq`, `fp8`, `bitsandbytes`, `exl3`, `gguf`, `qqq` or `paroquant`."),
    optional("quant_method", Type::text, "gptq", "Another name of `method`."),
    optional("format", Type::text, "that of the method",
             "Storage format, such as `gptq`, `gptq_v2`, `gemm` or `marlin`."),
    optional("checkpoint_format", Type::text, "that of the method", "Another name of `format`."),
    optional("damp_percent", Type::number, "0.05", "Dampening of the Hessian, above 0 and below 1."),
    optional("damp_auto_increment", Type::number, "0.01", "Added to `damp_percent` if the Hessian cannot be inverted."),
    optional("mse", Type::number, "0.0", "Above 0: searches the scale with the least error."),
    optional("static_groups", Type::truth, "false", "true computes the scales of all groups before quantization."),
    optional("true_sequential", Type::truth, "true", "true quantizes the layers of a block one after the other."),
    optional("gptaq", Type::any, "null", "Settings of GPTAQ, which uses the activations of the unquantized model."),
    optional("foem", Type::any, "null", "Settings of FOEM."),
    optional("fallback", Type::any, "the strategy rtn",
             "Method for layers with too few calibration samples, such as rare experts."),
    optional("hessian", Type::any, "the defaults", "Memory settings of the Hessian."),
    optional("mock_quantization", Type::truth, "false", "true skips the computation."),
    optional("rotation", Type::any, "null", "`hadamard` or `random` rotates the weights first."),
    optional("preprocessors", Type::any, "[]", "Steps before quantization."),
    optional("smoother", Type::any, "null", "Smoothing before quantization."),
    optional("smooth", Type::any, "null", "Another name of `smoother`."),
    optional("weight_only", Type::any, "null", "Settings for methods without calibration."),
    optional("weight_scale_method", Type::any, "row", "FP8: `row`, `tensor` or `block`."),
    optional("weight_block_size", Type::any, "null", "FP8: rows and columns of a block."),
    optional("weight_scale_semantics", Type::any, "inverse", "FP8: meaning of the stored scales."),
    optional("block_size", Type::any, "64", "bitsandbytes: weights that share a scale."),
    optional("compress_statistics", Type::truth, "true", "bitsandbytes: true quantizes the scales."),
    optional("head_bits", Type::any, "null", "EXL3: bits of the output layer."),
    optional("out_scales", Type::any, "auto", "EXL3: output scales."),
    optional("codebook", Type::any, "mcg", "EXL3: codebook."),
    optional("tensor_storage", Type::any, "null", "EXL3: written by GPTQModel."),
    optional("calibration", Type::any, "null", "EXL3: settings of the calibration."),
    optional("scale_search_chunked_activations", Type::any, "true", "AWQ: saves memory in the search for scales."),
    optional("meta", Type::any, "{}", "Written by GPTQModel: program, version and further settings."),
    optional("device", Type::any, "null", "Device of the computation."),
    optional("pack_dtype", Type::any, "int32", "Type of the packed weights: int8, int16, int32 or int64."),
    optional("pack_impl", Type::any, "cpu", "Implementation of packing."),
    optional("adapter", Type::any, "null", "LoRA adapter."),
    optional("offload_to_disk", Type::truth, "true", "true moves modules to the disk."),
    optional("offload_to_disk_path", Type::any, "a temporary folder", "Folder of moved modules."),
    optional("compute_device_filter", Type::any, "null", "Function that selects devices."),
    optional("calibration_data_device", Type::any, "null", "Device of the calibration data."),
    optional("auto_forward_data_parallel", Type::truth, "true", "true uses several devices."),
    optional("dense_vram_strategy", Type::any, "exclusive", "Placement of dense modules."),
    optional("dense_vram_strategy_devices", Type::any, "null", "Devices of dense modules."),
    optional("moe_vram_strategy", Type::any, "exclusive", "Placement of experts."),
    optional("moe_vram_strategy_devices", Type::any, "null", "Devices of experts."),
    optional("gc_mode", Type::any, "interval", "Collection of garbage."),
    optional("wait_for_submodule_finalizers", Type::truth, "false", "true waits for background work."),
    optional("moe", Type::any, "null", "Routing of experts during calibration."),
};

constinit const ClassSpec kQuantizeConfig{.name{"QuantizeConfig"},
                                          .fields = kConfigFields,
                                          .doc =
                                              "Settings of GPTQModel. Saved as `quantize_config.json` and in "
                                              "`config.json`. Unknown names are dropped silently.",
                                          .open = true};

constexpr FieldSpec kEntryFields[] = {
    optional("bits", Type::any, "that of the configuration",
             "Bits of the weights: 2 to 8 for GPTQ and AWQ. The name of a GGUF type selects GGUF."),
    optional("group_size", Type::integer, "that of the configuration",
             "Weights that share a scale. -1 is one group for each output channel."),
    optional("sym", Type::truth, "that of the configuration", "true stores symmetric integers, without zero points."),
    optional("desc_act", Type::truth, "that of the configuration",
             "true quantizes columns in the order of their activations. It disables `act_group_aware`."),
    optional("act_group_aware", Type::truth, "that of the configuration",
             "true orders whole groups by their activations. Not together with `desc_act`."),
    optional("damp_percent", Type::number, "that of the configuration",
             "Dampening of the Hessian, above 0 and below 1."),
    optional("mse", Type::number, "that of the configuration", "Above 0: searches the scale with the least error."),
    optional("static_groups", Type::truth, "that of the configuration",
             "true computes the scales of all groups before quantization."),
    optional("gptaq", Type::any, "that of the configuration",
             "Settings of GPTAQ, which uses the activations of the unquantized model."),
    optional("foem", Type::any, "that of the configuration", "Settings of FOEM."),
    optional("fallback", Type::any, "that of the configuration",
             "Method for layers with too few calibration samples, such as rare experts."),
    optional("hessian", Type::any, "that of the configuration", "Memory settings of the Hessian."),
    optional("adapter", Type::any, "that of the configuration", "LoRA adapter."),
    optional("pack_dtype", Type::any, "that of the configuration", "Type of the packed weights, used when loading."),
    optional("format", Type::any, "that of the configuration", "Storage format. Used only by AWQ."),
};

constinit const ClassSpec kDynamicEntry{.name{"dynamic"},
                                        .fields = kEntryFields,
                                        .doc =
                                            "Values of the layers that a pattern matches from the start of the name. "
                                            "Other values are those of the configuration.",
                                        .open = true};

constexpr const ClassSpec* kClasses[] = {&kQuantizeConfig, &kDynamicEntry};

// The releases come from the tags of the repository that contain the commit of the defect.
static constexpr quantizers::Defect kDefectRows[] = {{"GQ202", "7.3.4"}};

constexpr std::span<const quantizers::Defect> kDefects = kDefectRows;

std::span<const ClassSpec* const> classes() { return kClasses; }

}  // namespace sparsecfg::dialect::gptqmodel
