#include "dialect/autoround/table.h"

#include "dialect/quantizers/rows.h"

namespace sparsecfg::dialect::autoround {

using quantizers::optional;
using quantizers::required;

constexpr FieldSpec kArguments[] = {
    required("model", Type::any, "The model, or its folder or id."),
    optional("tokenizer", Type::any, "null", "The tokenizer."),
    optional("platform", Type::any, "hf", "Platform that the model is loaded from."),
    optional("scheme", Type::any, "W4A16", "Name of a preset, or a mapping. Single arguments override its values."),
    optional("layer_config", Type::any_mapping, "{}",
             "Settings of layers by name or pattern. The last pattern decides, even over a full name."),
    optional("ignore_layers", Type::text, "''",
             "Layers that stay in 16 bits, as one string with commas. Old name: `fp_layers`."),
    optional("fp_layers", Type::text, "''", "Old name of `ignore_layers`."),
    optional("to_quant_block_names", Type::any, "null",
             "Blocks to quantize: patterns as one string with commas, or a list of lists of names."),
    optional("quant_lm_head", Type::truth, "false", "true also quantizes the output layer."),
    optional("quant_nontext_module", Type::truth, "false", "true also quantizes vision and audio towers."),
    optional("bits", Type::any, "4", "Bits of the weights. 16 keeps them."),
    optional("group_size", Type::any, "128", "Weights that share a scale. -1 is a channel, 0 the whole tensor."),
    optional("sym", Type::truth, "true", "true quantizes symmetrically."),
    optional("data_type", Type::text, "int",
             "Type of the weights: `int`, `fp`, `mx_fp`, `nv_fp` and others. A digit sets `bits`."),
    optional("act_bits", Type::any, "16", "Bits of the inputs."),
    optional("act_group_size", Type::any, "that of the weights", "Inputs that share a scale."),
    optional("act_sym", Type::truth, "that of the weights", "true quantizes inputs symmetrically."),
    optional("act_data_type", Type::text, "that of the weights", "Type of the inputs."),
    optional("act_dynamic", Type::truth, "true", "true computes the scales of inputs in each run."),
    optional("super_bits", Type::any, "null", "Bits of the scales in types with two levels."),
    optional("super_group_size", Type::any, "null", "Groups that share a scale of scales."),
    optional("scale_dtype", Type::any, "fp16", "Type of the scales."),
    optional("iters", Type::any, "200", "Steps of the tuning. 0 rounds to nearest."),
    optional("dataset", Type::any, "NeelNanda/pile-10k", "Calibration data."),
    optional("seqlen", Type::any, "2048", "Length of the samples."),
    optional("nsamples", Type::any, "128", "Number of samples."),
    optional("batch_size", Type::any, "8", "Samples for each step."),
    optional("gradient_accumulate_steps", Type::any, "1", "Steps for each update."),
    optional("low_gpu_mem_usage", Type::truth, "false", "true moves data to the CPU."),
    optional("low_cpu_mem_usage", Type::truth, "true", "true writes layers as they are finished."),
    optional("device", Type::any, "null", "Old name of `device_map`."),
    optional("device_map", Type::any, "0", "Devices."),
    optional("enable_torch_compile", Type::truth, "false", "true compiles the blocks."),
    optional("seed", Type::any, "42", "Seed of the tuning."),
    optional("alg_configs", Type::any, "null", "Algorithms and their settings."),
    optional("algorithm", Type::any, "null", "Name of the algorithm."),
    optional("format", Type::any, "null", "Format of the written model."),
    optional("lr", Type::any, "1 / iters", "Learning rate of the tuning."),
    optional("minmax_lr", Type::any, "lr", "Learning rate of the ranges."),
    optional("enable_minmax_tuning", Type::truth, "true", "true tunes the ranges."),
    optional("enable_norm_bias_tuning", Type::truth, "false", "true tunes norms and biases."),
    optional("enable_quanted_input", Type::truth, "true", "true uses the outputs of quantized blocks as inputs."),
    optional("enable_adam", Type::truth, "false", "true uses Adam."),
    optional("enable_alg_ext", Type::truth, "false", "true uses an extended algorithm."),
    optional("enable_lfq", Type::truth, "false", "true tunes codebooks of floats."),
    optional("optimizer", Type::any, "null", "Optimizer of the tuning."),
    optional("duo_scaling", Type::any, "true", "AWQ: true uses weights and inputs for the scales."),
    optional("n_grid", Type::any, "20", "AWQ: number of scales that are tried."),
    optional("apply_smooth", Type::truth, "true", "AWQ: true scales the inputs."),
    optional("smooth_iters", Type::any, "null", "AWQ: rounds of the search of scales."),
    optional("smooth_batch_size", Type::any, "null", "AWQ: samples for each step of the search."),
    optional("apply_clip", Type::truth, "true", "AWQ: true clips the weights."),
    optional("clip_as_init", Type::truth, "false", "AWQ: true starts the tuning from the clipped weights."),
    optional("clip_n_grid", Type::any, "20", "AWQ: number of limits that are tried."),
    optional("clip_max_shrink", Type::any, "0.5", "AWQ: smallest limit."),
    optional("clip_n_sample_token", Type::any, "512", "AWQ: tokens for the search of limits."),
    optional("awq_seqlen", Type::any, "null", "AWQ: length of the samples."),
    optional("skip_moe", Type::truth, "false", "AWQ: true skips experts."),
    optional("mappings", Type::any, "null", "AWQ: layers that share scales."),
    optional("hadamard_type", Type::any, "null", "Rotation: kind of matrix."),
    optional("block_size", Type::any, "null", "Rotation: size of blocks."),
    optional("fuse_online_to_weight", Type::truth, "false", "Rotation: true rotates the weights."),
    optional("allow_online_rotation", Type::truth, "true", "Rotation: true also rotates inputs in each run."),
    optional("disable_opt_rtn", Type::any, "null", "true rounds without optimization if `iters` is 0."),
    optional("disable_model_free", Type::truth, "false", "true never selects the path without a model."),
    optional("model_free", Type::truth, "false", "true selects the path without a model."),
    optional("amp", Type::truth, "true", "true uses mixed precision."),
    optional("nblocks", Type::any, "1", "Blocks that are tuned together."),
    optional("sampler", Type::any, "rand", "Order of the samples."),
    optional("truncation", Type::truth, "true", "true shortens samples."),
    optional("not_use_best_mse", Type::truth, "false", "true uses the last step, not the best one."),
    optional("dynamic_max_gap", Type::any, "-1", "Steps without improvement before the tuning ends."),
    optional("lr_scheduler", Type::any, "null", "Scheduler of the tuning."),
    optional("trust_remote_code", Type::truth, "true", "true runs code of the model."),
    optional("model_dtype", Type::any, "null", "Type in which the model is loaded."),
    optional("static_kv_dtype", Type::any, "null", "Type of the cache."),
    optional("static_kv_granularity", Type::any, "null", "Scales of the cache."),
    optional("static_attention_dtype", Type::any, "null", "Type of attention."),
    optional("static_attention_granularity", Type::any, "null", "Scales of attention."),
    optional("shared_layers", Type::any, "null", "Layers with equal settings for automatic schemes."),
    optional("processor", Type::any, "null", "Processor of multimodal models."),
    optional("image_processor", Type::any, "null", "Processor of images."),
    optional("template", Type::any, "null", "Template of prompts."),
    optional("extra_data_dir", Type::any, "null", "Folder of images."),
    optional("mllm", Type::truth, "false", "Has no effect."),
    optional("vlm", Type::truth, "false", "Has no effect."),
    optional("guidance_scale", Type::any, "7.5", "Setting of diffusion models."),
    optional("num_inference_steps", Type::any, "50", "Setting of diffusion models."),
    optional("generator_seed", Type::any, "null", "Setting of diffusion models."),
    optional("inplace", Type::truth, "true", "true changes the model."),
    optional("rotation_config", Type::any, "null", "Rotation of the weights."),
    optional("eval_bs", Type::any, "null", "Setting of the evaluation."),
    optional("disable_trust_remote_code", Type::truth, "false", "Option of the command line."),
    optional("disable_deterministic_algorithms", Type::truth, "false", "Has no effect."),
    optional("enable_deterministic_algorithms", Type::truth, "false", "true makes the computation repeatable."),
    optional("momentum", Type::any, "0", "Setting of the tuning."),
    optional("enable_opt_rtn", Type::any, "null", "true optimizes rounding if `iters` is 0."),
    optional("ignore_scale_zp_bits", Type::truth, "false", "Setting of automatic schemes."),
    optional("pipeline_call_kwargs", Type::any, "null", "Setting of diffusion models."),
};

constinit const ClassSpec kAutoRound{
    .name{"AutoRound"}, .fields = kArguments, .doc = "Quantizes a model with AutoRound.", .open = true};

constexpr FieldSpec kLayerFields[] = {
    optional("bits", Type::any, "that of the scheme", "Bits of the weights. 16 keeps them."),
    optional("group_size", Type::any, "that of the scheme",
             "Weights that share a scale. -1 is a channel, 0 the whole tensor."),
    optional("sym", Type::truth, "that of the scheme", "true quantizes symmetrically."),
    optional("data_type", Type::text, "that of the scheme",
             "Type of the weights: `int`, `fp`, `mx_fp`, `nv_fp` and others. A digit sets `bits`."),
    optional("act_bits", Type::any, "that of the scheme", "Bits of the inputs."),
    optional("act_group_size", Type::any, "that of the scheme", "Inputs that share a scale."),
    optional("act_sym", Type::truth, "that of the scheme", "true quantizes inputs symmetrically."),
    optional("act_data_type", Type::text, "that of the scheme", "Type of the inputs."),
    optional("act_dynamic", Type::truth, "that of the scheme", "true computes the scales of inputs in each run."),
    optional("super_bits", Type::any, "that of the scheme", "Bits of the scales in types with two levels."),
    optional("super_group_size", Type::any, "that of the scheme", "Groups that share a scale of scales."),
    optional("scale_dtype", Type::any, "that of the scheme", "Type of the scales."),
    optional("rotation_config", Type::any, "that of the scheme", "Rotation of the weights."),
    optional("scheme", Type::text, "that of the model", "Name of a preset from which the values start."),
    optional("fixed_by_user", Type::truth, "true", "Written by AutoRound."),
    optional("in_blocks", Type::truth, "true", "Has no effect."),
};

constinit const ClassSpec kLayerConfig{
    .name{"layer_config"}, .fields = kLayerFields, .doc = "Settings of the layers that a name or pattern selects."};

constexpr FieldSpec kSavedFields[] = {
    optional("quant_method", Type::text, "auto-round", "Must contain `auto-round`, `gptq` or `awq`."),
    optional("bits", Type::integer, "4", "Bits of the weights: 2, 3, 4 or 8."),
    optional("group_size", Type::integer, "128", "Weights that share a scale, or -1 for a channel."),
    optional("sym", Type::exact_boolean, "true", "true: without zero points."),
    optional("data_type", Type::text, "int", "Type of the weights."),
    optional("packing_format", Type::text, "auto_round:auto_gptq", "Format of the tensors."),
    optional("block_name_to_quantize", Type::any, "all blocks", "Starts of the names of quantized blocks."),
    optional("extra_config", Type::any_mapping, "{}", "Settings by name or pattern. The first pattern decides."),
    optional("backend", Type::text, "auto", "Kernel that loads the layers."),
};

constinit const ClassSpec kSavedConfig{.name{"quantization_config"},
                                       .fields = kSavedFields,
                                       .doc = "The configuration that AutoRound writes to `config.json`.",
                                       .open = true};

constexpr const ClassSpec* kClasses[] = {&kAutoRound, &kLayerConfig, &kSavedConfig};

// The releases come from the tags of the repository that contain the commit of the defect.
static constexpr quantizers::Defect kDefectRows[] = {
    {"AR202", "0.9"}, {"AR203", "0.9"}, {"AR204", "0.13"}, {"AR207", "0.13"}};

constexpr std::span<const quantizers::Defect> kDefects = kDefectRows;

std::span<const ClassSpec* const> classes() { return kClasses; }

}  // namespace sparsecfg::dialect::autoround
