#include "dialect/checkpoint/table.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/checkpoint/checks.h"
#include "dialect/checkpoint/formats.h"
#include "dialect/checkpoint/readers.h"

namespace sparsecfg::dialect::checkpoint {

// --- methods ----------------------------------------------------------------------------------------

// One line per key and method.
// clang-format off
using enum Type;

constexpr FieldSpec kSkips{.name = "modules_to_not_convert", .type = texts, .default_value = "null", .nullable = true,
                           .doc = "Modules that stay unquantized. Each program compares the entries in another way."};

constexpr FieldSpec kAwqKeys[] = {
    {.name = "bits", .type = number, .default_value = "4", .doc = "Bits of a weight."},
    {.name = "group_size", .type = number, .default_value = "128", .doc = "Weights that share a scale. -1 is a whole row."},
    {.name = "zero_point", .type = truth, .default_value = "true", .doc = "Store zero points. vLLM requires this key."},
    {.name = "version", .type = text, .default_value = "gemm", .doc = "Layout of the stored weights."},
    {.name = "backend", .type = text, .default_value = "auto", .doc = "Kernel."},
    kSkips,
    {.name = "lm_head", .type = truth, .default_value = "false", .doc = "The output head is quantized. Only vLLM reads this key."},
    {.name = "w_bit", .type = number, .default_value = "4", .doc = "Another name of `bits`."},
    {.name = "q_group_size", .type = number, .default_value = "128", .doc = "Another name of `group_size`."},
    {.name = "do_fuse", .type = truth, .default_value = "false", .doc = "Fuse layers after loading. For readers of older releases."},
    {.name = "modules_to_fuse", .default_value = "null", .nullable = true, .doc = "Layers to fuse. For readers of older releases."},
    {.name = "fuse_max_seq_len", .default_value = "null", .nullable = true, .doc = "Length of fused attention. For readers of older releases."},
    {.name = "exllama_config", .default_value = "null", .nullable = true, .doc = "Settings of the ExLlama kernel."},
    {.name = "format", .type = text, .default_value = "gemm", .doc = "Another name of `version`."},
    {.name = "sym", .type = truth, .default_value = "false", .doc = "For other readers."},
};
constexpr FieldSpec kBitsandbytesKeys[] = {
    {.name = "load_in_4bit", .type = boolean, .default_value = "false", .doc = "4-bit weights."},
    {.name = "load_in_8bit", .type = boolean, .default_value = "false", .doc = "8-bit weights."},
    {.name = "llm_int8_threshold", .type = exact_float, .default_value = "6.0", .doc = "Threshold of outliers, which stay in 16 bits."},
    {.name = "llm_int8_skip_modules", .type = texts, .default_value = "null", .nullable = true, .doc = "Modules that stay unquantized."},
    {.name = "llm_int8_enable_fp32_cpu_offload", .type = boolean, .default_value = "false", .doc = "Keep a part of the model in 32 bits on the CPU."},
    {.name = "llm_int8_has_fp16_weight", .type = boolean, .default_value = "false", .doc = "Keep the 16-bit weights."},
    {.name = "bnb_4bit_compute_dtype", .type = text, .default_value = "float32", .doc = "Type of computation."},
    {.name = "bnb_4bit_quant_type", .type = text, .default_value = "fp4", .doc = "`nf4` or `fp4`."},
    {.name = "bnb_4bit_use_double_quant", .type = boolean, .default_value = "false", .doc = "Quantize the scales."},
    {.name = "bnb_4bit_quant_storage", .type = text, .default_value = "uint8", .doc = "Type of the stored tensor."},
    {.name = "_load_in_4bit", .type = boolean, .default_value = "false", .doc = "A copy of `load_in_4bit` that transformers writes."},
    {.name = "_load_in_8bit", .type = boolean, .default_value = "false", .doc = "A copy of `load_in_8bit` that transformers writes."},
};
constexpr FieldSpec kFp8Keys[] = {
    {.name = "activation_scheme", .type = text, .default_value = "dynamic", .doc = "`dynamic` or `static` scales of the inputs."},
    {.name = "weight_block_size", .type = list, .default_value = "[128, 128]", .nullable = true, .doc = "Rows and columns of a block that shares a scale. Null: one scale for each tensor."},
    {.name = "fmt", .type = text, .default_value = "e4m3", .doc = "Kind of float. No program reads this key."},
    {.name = "scale_fmt", .type = text, .default_value = "float", .doc = "Type of the scales."},
    kSkips,
    {.name = "ignored_layers", .type = texts, .default_value = "null", .nullable = true, .doc = "Another list of modules that stay unquantized."},
    {.name = "dequantize", .type = boolean, .default_value = "false", .doc = "Convert the weights to 16 bits."},
};
constexpr FieldSpec kGptqKeys[] = {
    {.name = "bits", .type = number, .required = true, .doc = "Bits of a weight."},
    {.name = "group_size", .type = number, .default_value = "128", .doc = "Weights that share a scale. -1 is a whole row."},
    {.name = "sym", .type = truth, .default_value = "true", .doc = "Symmetric quantization. vLLM requires this key."},
    {.name = "desc_act", .type = truth, .default_value = "false", .doc = "Order of columns by activation. vLLM requires this key."},
    {.name = "damp_percent", .type = number, .default_value = "0.1", .doc = "Damping of the Hessian."},
    {.name = "true_sequential", .type = truth, .default_value = "true", .doc = "Quantize the layers of a block in sequence."},
    {.name = "static_groups", .type = truth, .default_value = "false", .doc = "Compute the scales of groups before the order is changed."},
    {.name = "dataset", .default_value = "null", .nullable = true, .doc = "Data of the calibration."},
    {.name = "block_name_to_quantize", .type = text, .default_value = "null", .nullable = true, .doc = "Prefix of the blocks. Only transformers reads this key."},
    {.name = "modules_in_block_to_quantize", .type = groups, .default_value = "null", .nullable = true, .doc = "Layers that are quantized."},
    {.name = "dynamic", .type = mapping, .default_value = "null", .nullable = true, .doc = "Patterns with other settings, and `-:` patterns of layers that are not quantized. transformers does not read this key."},
    {.name = "lm_head", .type = truth, .default_value = "false", .doc = "The output head is quantized. Only vLLM reads this key."},
    {.name = "module_name_preceding_first_block", .default_value = "null", .nullable = true, .doc = "Modules before the first block."},
    {.name = "model_seqlen", .default_value = "null", .nullable = true, .doc = "Length of sequences in the calibration."},
    {.name = "model_name_or_path", .default_value = "null", .nullable = true, .doc = "Name of the model."},
    {.name = "model_file_base_name", .default_value = "null", .nullable = true, .doc = "Name of the file of weights."},
    {.name = "batch_size", .default_value = "1", .doc = "Batch size of the calibration."},
    {.name = "pad_token_id", .default_value = "null", .nullable = true, .doc = "Padding of the calibration."},
    {.name = "use_cuda_fp16", .default_value = "false", .doc = "For readers of older releases."},
    {.name = "disable_exllama", .default_value = "null", .nullable = true, .doc = "For readers of older releases."},
    {.name = "use_exllama", .default_value = "null", .nullable = true, .doc = "For readers of older releases."},
    {.name = "exllama_config", .default_value = "null", .nullable = true, .doc = "Settings of the ExLlama kernel."},
    {.name = "max_input_length", .default_value = "null", .nullable = true, .doc = "For readers of older releases."},
    {.name = "cache_block_outputs", .default_value = "true", .doc = "Speed of the calibration."},
    {.name = "tokenizer", .default_value = "null", .nullable = true, .doc = "Tokenizer of the calibration."},
    {.name = "backend", .default_value = "null", .nullable = true, .doc = "Kernel."},
    {.name = "checkpoint_format", .default_value = "gptq", .doc = "Layout of the stored weights."},
    {.name = "format", .default_value = "gptq", .doc = "Another name of `checkpoint_format`."},
    {.name = "pack_dtype", .default_value = "int32", .doc = "Type of the stored tensor."},
    {.name = "packing_format", .default_value = "null", .nullable = true, .doc = "Layout of the stored weights."},
    {.name = "meta", .default_value = "null", .nullable = true, .doc = "Settings that no loader reads."},
};
constexpr FieldSpec kMxfp4Keys[] = {
    kSkips,
    {.name = "dequantize", .type = boolean, .default_value = "false", .doc = "Convert the weights to 16 bits."},
};
constexpr FieldSpec kFbgemmKeys[] = {
    {.name = "activation_scale_ub", .type = number, .default_value = "1200.0", .doc = "Upper bound of the scales of inputs."},
    kSkips,
};
constexpr FieldSpec kHqqKeys[] = {
    {.name = "quant_config", .type = mapping, .required = true, .doc = "Settings for all layers, or for each tag such as `self_attn.q_proj`."},
    {.name = "skip_modules", .type = texts, .required = true, .doc = "Tags of layers that stay unquantized."},
};
constexpr FieldSpec kAqlmKeys[] = {
    {.name = "in_group_size", .type = integer, .default_value = "8", .doc = "Inputs of a group."},
    {.name = "out_group_size", .type = integer, .default_value = "1", .doc = "Outputs of a group."},
    {.name = "num_codebooks", .type = integer, .default_value = "1", .doc = "Number of codebooks."},
    {.name = "nbits_per_codebook", .type = integer, .default_value = "16", .doc = "Bits of an index."},
    {.name = "linear_weights_not_to_quantize", .type = texts, .default_value = "null", .nullable = true, .doc = "Modules that stay unquantized."},
};
constexpr FieldSpec kSpqrKeys[] = {
    {.name = "bits", .type = number, .default_value = "3", .doc = "Bits of a weight."},
    {.name = "beta1", .type = number, .default_value = "16", .doc = "Size of a tile."},
    {.name = "beta2", .type = number, .default_value = "16", .doc = "Size of a tile."},
    {.name = "shapes", .type = mapping, .required = true, .doc = "Shapes of the stored tensors."},
    kSkips,
};
constexpr FieldSpec kVptqKeys[] = {
    {.name = "config_for_layers", .type = mapping, .default_value = "{}", .doc = "Settings by the name of a layer."},
    {.name = "shared_layer_config", .type = mapping, .default_value = "{}", .doc = "Settings by the part of a layer."},
    {.name = "enable_proxy_error", .default_value = "false", .doc = "Measure errors."},
    kSkips,
};
constexpr FieldSpec kWeightsKeys[] = {
    {.name = "weights", .type = text, .default_value = "int8", .doc = "Type of the weights."},
    {.name = "activations", .type = text, .default_value = "null", .nullable = true, .doc = "Type of the inputs."},
    kSkips,
};
constexpr FieldSpec kHiggsKeys[] = {
    {.name = "bits", .type = number, .default_value = "4", .doc = "Bits of a weight."},
    {.name = "p", .type = number, .default_value = "2", .doc = "Weights of a vector."},
    {.name = "group_size", .type = number, .default_value = "256", .doc = "Weights that share a scale."},
    {.name = "hadamard_size", .type = number, .default_value = "512", .doc = "Size of the rotation."},
    {.name = "tune_metadata", .default_value = "null", .nullable = true, .doc = "Settings of the kernel."},
    kSkips,
};
constexpr FieldSpec kBitnetKeys[] = {
    {.name = "linear_class", .type = text, .default_value = "bitlinear", .doc = "Class of the layers."},
    {.name = "quantization_mode", .type = text, .default_value = "offline", .doc = "`offline` or `online`."},
    {.name = "use_rms_norm", .default_value = "false", .doc = "Normalize the inputs."},
    {.name = "rms_norm_eps", .default_value = "1e-06", .doc = "Setting of the normalization."},
    kSkips,
};
constexpr FieldSpec kMetalKeys[] = {
    {.name = "bits", .type = number, .default_value = "4", .doc = "Bits of a weight."},
    {.name = "group_size", .type = number, .default_value = "64", .doc = "Weights that share a scale."},
    kSkips,
};
constexpr FieldSpec kGemmaKeys[] = {
    {.name = "num_bits", .type = number, .default_value = "4", .doc = "Bits of a weight."},
    {.name = "module_quant_configs", .type = mapping, .default_value = "{}", .doc = "Patterns with other settings."},
    kSkips,
};
constexpr FieldSpec kQuarkKeys[] = {
    {.name = "global_quant_config", .type = mapping, .default_value = "null", .nullable = true, .doc = "Settings of layers without an entry."},
    {.name = "layer_quant_config", .type = mapping, .default_value = "{}", .doc = "Globs with other settings."},
    {.name = "layer_type_quant_config", .type = mapping, .default_value = "{}", .doc = "Classes with other settings."},
    {.name = "exclude", .type = texts, .default_value = "[]", .doc = "Layers that stay unquantized."},
    {.name = "export", .type = mapping, .default_value = "null", .nullable = true, .doc = "Settings of the export. vLLM requires this key."},
    {.name = "algo_config", .default_value = "null", .nullable = true, .doc = "Algorithm that computed the values."},
    {.name = "kv_cache_quant_config", .default_value = "{}", .doc = "Settings of the attention cache."},
    {.name = "kv_cache_post_rope", .default_value = "false", .doc = "Quantize the keys after the rotation."},
    {.name = "softmax_quant_spec", .default_value = "null", .nullable = true, .doc = "Settings of the softmax."},
    {.name = "quant_mode", .default_value = "eager_mode", .doc = "Mode of the quantizer."},
    {.name = "version", .default_value = "null", .nullable = true, .doc = "Release of Quark."},
};
constexpr FieldSpec kSkipKeys[] = {kSkips};

using namespace formats;

static const Value* whole_config(const Value& config) { return &config; }
static const Value* hqq_groups(const Value& config) { return config.find("quant_config"); }
static const Value* global_group(const Value& config) { return config.given("global_quant_config"); }

constexpr Method kMethods[] = {
    {"awq", "4-bit weights in groups, with scales from activations.", kAwqKeys, of_awq, whole_config},
    {"gptq", "Weights in groups, with compensated errors.", kGptqKeys, of_gptq, whole_config},
    {"bitsandbytes", "4-bit or 8-bit weights, quantized when the model is loaded or saved.", kBitsandbytesKeys, of_bitsandbytes, whole_config},
    {"fp8", "8-bit floats in blocks or tensors.", kFp8Keys, of_fp8, whole_config, true},
    {"mxfp8", "8-bit floats in groups of 32.", kFp8Keys, of_fp8, whole_config, true},
    {"mxfp4", "4-bit floats in groups of 32, of experts.", kMxfp4Keys, of_mxfp4, whole_config, true},
    {"gpt_oss_mxfp4", "The name of `mxfp4` in vLLM.", kMxfp4Keys, of_mxfp4, whole_config, true},
    {"fbgemm_fp8", "8-bit floats in rows.", kFbgemmKeys, of_fbgemm, whole_config, true},
    {"quark", "AMD Quark.", kQuarkKeys, of_quark, global_group},
    {"hqq", "Half-quadratic quantization.", kHqqKeys, of_hqq, hqq_groups},
    {"aqlm", "Additive quantization with codebooks.", kAqlmKeys, codebook, whole_config},
    {"spqr", "3-bit weights with outliers.", kSpqrKeys, codebook, whole_config},
    {"vptq", "Vector quantization.", kVptqKeys, codebook, whole_config},
    {"eetq", "8-bit weights.", kWeightsKeys, int8, whole_config},
    {"higgs", "Grids of vectors with rotations.", kHiggsKeys, codebook, whole_config},
    {"quanto", "Weights of 2, 4 or 8 bits.", kWeightsKeys, of_weights_name, whole_config},
    {"bitnet", "Weights of -1, 0 and 1.", kBitnetKeys, ternary, whole_config},
    {"metal", "Weights in groups, for Metal.", kMetalKeys, of_bits_in_groups, whole_config},
    {"gemma", "Weights of Gemma with few bits.", kGemmaKeys, of_num_bits, whole_config},
    {"experts_int8", "8-bit experts.", kSkipKeys, int8, whole_config},
};

// --- programs ---------------------------------------------------------------------------------------

static bool examines_awq_head(const Value& config) {
  const Value* size = config.find("group_size") != nullptr ? config.find("group_size") : config.find("q_group_size");
  const auto group = size == nullptr ? std::nullopt : size->number();
  const auto is_true = [&](std::string_view key) {
    const Value* value = config.find(key);
    return value != nullptr && value->number().value_or(0) != 0;
  };
  return is_true("lm_head") && is_true("zero_point") && group && (*group == -1 || *group == 32 || *group == 64 || *group == 128);
}

static bool examines_gptq_head(const Value& config) {
  const Value* head = config.find("lm_head");
  return head != nullptr && head->number().value_or(0) != 0;
}

using enum Program;
using namespace readers;
namespace accepted = checks;

const Loading kLoadings[] = {
    {transformers, "awq", {&kTransformersAwq}, accepted::kTransformersAwq},
    {transformers, "bitsandbytes", {&kTransformersBitsandbytes}, accepted::kTransformersBitsandbytes},
    {transformers, "fp8", {&kTransformersFp8}, accepted::kTransformersFp8},
    {transformers, "mxfp8", {&kTransformersFp8}, accepted::kTransformersFp8},
    {transformers, "gptq", {&kTransformersBlocks, &kTransformersInBlocks}, accepted::kTransformersGptq},
    {transformers, "mxfp4", {&kTransformersMxfp4}},
    {transformers, "fbgemm_fp8", {&kTransformersFbgemm}},
    {transformers, "hqq", {&kTransformersHqqSkips, &kTransformersHqq}, accepted::kTransformersHqq},
    {transformers, "aqlm", {&kTransformersAqlm}, accepted::kTransformersAqlm},
    {transformers, "spqr", {&kTransformers}, accepted::kTransformersSpqr},
    {transformers, "vptq", {&kTransformers}, accepted::kTransformersVptq},
    {transformers, "eetq", {&kTransformers}, accepted::kTransformersEetq},
    {transformers, "higgs", {&kTransformers}, accepted::kTransformersHiggs},
    {transformers, "quanto", {&kTransformers}, accepted::kTransformersQuanto},
    {transformers, "bitnet", {&kTransformers}, accepted::kTransformersBitnet},
    {transformers, "metal", {&kTransformers}, accepted::kTransformersMetal},
    {transformers, "gemma", {&kTransformersGemma}},
    {vllm, "fp8", {&kVllmFp8}, accepted::kVllmFp8},
    {vllm, "awq", {&kVllmAwq}, accepted::kVllmAwq, FromFile::plain, nullptr, examines_awq_head},
    {vllm, "awq_marlin", {&kVllmAwq}, accepted::kVllmAwq, FromFile::plain, nullptr, examines_awq_head},
    {vllm, "gptq", {&kVllmDynamic, &kVllmGptq}, accepted::kVllmGptq, FromFile::packed, nullptr, examines_gptq_head},
    {vllm, "gptq_marlin", {&kVllmDynamic, &kVllmGptq}, accepted::kVllmGptq, FromFile::packed, nullptr, examines_gptq_head},
    {vllm, "auto_gptq", {&kVllmDynamic, &kVllmGptq}, accepted::kVllmGptq, FromFile::packed, nullptr, examines_gptq_head},
    {vllm, "bitsandbytes", {&kVllmBitsandbytes}, accepted::kVllmBitsandbytes},
    {vllm, "quark", {&kVllmQuarkExclude, &kVllmQuark}, accepted::kVllmQuark, FromFile::none, vllm_supports_quark},
    {vllm, "mxfp4", {&kVllmExperts}},
    {vllm, "gpt_oss_mxfp4", {&kVllmExperts}},
    {vllm, "experts_int8", {&kVllmExperts}},
    {sglang, "fp8", {&kSglangFp8}, accepted::kVllmFp8},
    {sglang, "awq", {&kSglangAwq}, accepted::kSglangAwq},
    {sglang, "bitsandbytes", {&kSglangBitsandbytes}},
    {sglang, "gptq", {&kSglangGptq}, accepted::kSglangGptq},
    {sglang, "quark", {&kSglangQuark}, accepted::kSglangQuark},
    {quark, "quark", {&kQuarkExclude, &kQuark}},
};

constexpr std::string_view kKnownToVllm[] = {
    "awq", "fp8", "modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed", "gguf", "auto_gptq", "gptq", "gptq_marlin",
    "awq_marlin", "humming", "compressed-tensors", "bitsandbytes", "experts_int8", "quark", "moe_wna16", "torchao", "inc",
    "mxfp4", "gpt_oss_mxfp4", "deepseek_v4_fp8", "cpu_awq", "online", "fp8_per_tensor", "fp8_per_block",
    "int8_per_channel_weight_only", "mxfp8"};

constexpr PrefixRow kPrefixes[] = {
    {"Qwen3VLForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen3VLForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen3VLForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Qwen3VLMoeForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen3VLMoeForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen3VLMoeForConditionalGeneration", "model.language_model.", "language_model.model."},
};

// clang-format on

std::string_view title_of(Program program) {
  switch (program) {
    case Program::transformers: return "transformers";
    case Program::vllm: return "vLLM";
    case Program::sglang: return "SGLang";
    case Program::quark: return "Quark";
  }
  return {};
}

std::span<const Method> methods() { return kMethods; }

const Method* find_method(std::string_view name) {
  const auto* found = std::ranges::find(kMethods, name, &Method::name);
  return found == std::end(kMethods) ? nullptr : found;
}

std::span<const Loading> loadings() { return kLoadings; }

const Loading* find_loading(Program program, std::string_view method) {
  const auto* found = std::ranges::find_if(
      kLoadings, [&](const Loading& each) { return each.program == program && each.method == method; });
  return found == std::end(kLoadings) ? nullptr : found;
}

bool is_known_to_vllm(std::string_view method) { return base::contains(kKnownToVllm, method); }

std::span<const PrefixRow> prefix_rows() { return kPrefixes; }

}  // namespace sparsecfg::dialect::checkpoint
