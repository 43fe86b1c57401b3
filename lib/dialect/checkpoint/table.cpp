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
using enum ValueType;

constexpr Key kSkips{"modules_to_not_convert", list, "null", "Modules that stay unquantized. Each program compares the entries in another way.", true};

constexpr Key kAwqKeys[] = {
    {"bits", number, "4", "Bits of a weight."},
    {"group_size", number, "128", "Weights that share a scale. -1 is a whole row."},
    {"zero_point", boolean, "true", "Store zero points. vLLM requires this key."},
    {"version", text, "gemm", "Layout of the stored weights."},
    {"backend", text, "auto", "Kernel."},
    kSkips,
    {"lm_head", boolean, "false", "The output head is quantized. Only vLLM reads this key."},
    {"w_bit", number, "4", "Another name of `bits`."},
    {"q_group_size", number, "128", "Another name of `group_size`."},
    {"do_fuse", boolean, "false", "Fuse layers after loading. For readers of older releases."},
    {"modules_to_fuse", any, "null", "Layers to fuse. For readers of older releases.", true},
    {"fuse_max_seq_len", any, "null", "Length of fused attention. For readers of older releases.", true},
    {"exllama_config", any, "null", "Settings of the ExLlama kernel.", true},
    {"format", text, "gemm", "Another name of `version`."},
    {"sym", boolean, "false", "For other readers."},
};
constexpr Key kBitsandbytesKeys[] = {
    {"load_in_4bit", boolean, "false", "4-bit weights."},
    {"load_in_8bit", boolean, "false", "8-bit weights."},
    {"llm_int8_threshold", number, "6.0", "Threshold of outliers, which stay in 16 bits."},
    {"llm_int8_skip_modules", list, "null", "Modules that stay unquantized.", true},
    {"llm_int8_enable_fp32_cpu_offload", boolean, "false", "Keep a part of the model in 32 bits on the CPU."},
    {"llm_int8_has_fp16_weight", boolean, "false", "Keep the 16-bit weights."},
    {"bnb_4bit_compute_dtype", text, "float32", "Type of computation."},
    {"bnb_4bit_quant_type", text, "fp4", "`nf4` or `fp4`."},
    {"bnb_4bit_use_double_quant", boolean, "false", "Quantize the scales."},
    {"bnb_4bit_quant_storage", text, "uint8", "Type of the stored tensor."},
    {"_load_in_4bit", boolean, "false", "A copy of `load_in_4bit` that transformers writes."},
    {"_load_in_8bit", boolean, "false", "A copy of `load_in_8bit` that transformers writes."},
};
constexpr Key kFp8Keys[] = {
    {"activation_scheme", text, "dynamic", "`dynamic` or `static` scales of the inputs."},
    {"weight_block_size", list, "[128, 128]", "Rows and columns of a block that shares a scale. Null: one scale for each tensor.", true},
    {"fmt", text, "e4m3", "Kind of float. No program reads this key."},
    {"scale_fmt", text, "float", "Type of the scales."},
    kSkips,
    {"ignored_layers", list, "null", "Another list of modules that stay unquantized.", true},
    {"dequantize", boolean, "false", "Convert the weights to 16 bits."},
};
constexpr Key kGptqKeys[] = {
    {"bits", number, {}, "Bits of a weight."},
    {"group_size", number, "128", "Weights that share a scale. -1 is a whole row."},
    {"sym", boolean, "true", "Symmetric quantization. vLLM requires this key."},
    {"desc_act", boolean, "false", "Order of columns by activation. vLLM requires this key."},
    {"damp_percent", number, "0.1", "Damping of the Hessian."},
    {"true_sequential", boolean, "true", "Quantize the layers of a block in sequence."},
    {"static_groups", boolean, "false", "Compute the scales of groups before the order is changed."},
    {"dataset", any, "null", "Data of the calibration.", true},
    {"block_name_to_quantize", text, "null", "Prefix of the blocks. Only transformers reads this key.", true},
    {"modules_in_block_to_quantize", list, "null", "Layers that are quantized.", true},
    {"dynamic", mapping, "null", "Patterns with other settings, and `-:` patterns of layers that are not quantized. transformers does not read this key.", true},
    {"lm_head", boolean, "false", "The output head is quantized. Only vLLM reads this key."},
    {"module_name_preceding_first_block", any, "null", "Modules before the first block.", true},
    {"model_seqlen", any, "null", "Length of sequences in the calibration.", true},
    {"model_name_or_path", any, "null", "Name of the model.", true},
    {"model_file_base_name", any, "null", "Name of the file of weights.", true},
    {"batch_size", any, "1", "Batch size of the calibration."},
    {"pad_token_id", any, "null", "Padding of the calibration.", true},
    {"use_cuda_fp16", any, "false", "For readers of older releases."},
    {"disable_exllama", any, "null", "For readers of older releases.", true},
    {"use_exllama", any, "null", "For readers of older releases.", true},
    {"exllama_config", any, "null", "Settings of the ExLlama kernel.", true},
    {"max_input_length", any, "null", "For readers of older releases.", true},
    {"cache_block_outputs", any, "true", "Speed of the calibration."},
    {"tokenizer", any, "null", "Tokenizer of the calibration.", true},
    {"backend", any, "null", "Kernel.", true},
    {"checkpoint_format", any, "gptq", "Layout of the stored weights."},
    {"format", any, "gptq", "Another name of `checkpoint_format`."},
    {"pack_dtype", any, "int32", "Type of the stored tensor."},
    {"packing_format", any, "null", "Layout of the stored weights.", true},
    {"meta", any, "null", "Settings that no loader reads.", true},
};
constexpr Key kMxfp4Keys[] = {
    kSkips,
    {"dequantize", boolean, "false", "Convert the weights to 16 bits."},
};
constexpr Key kFbgemmKeys[] = {
    {"activation_scale_ub", number, "1200.0", "Upper bound of the scales of inputs."},
    kSkips,
};
constexpr Key kHqqKeys[] = {
    {"quant_config", mapping, {}, "Settings for all layers, or for each tag such as `self_attn.q_proj`."},
    {"skip_modules", list, {}, "Tags of layers that stay unquantized."},
};
constexpr Key kAqlmKeys[] = {
    {"in_group_size", number, "8", "Inputs of a group."},
    {"out_group_size", number, "1", "Outputs of a group."},
    {"num_codebooks", number, "1", "Number of codebooks."},
    {"nbits_per_codebook", number, "16", "Bits of an index."},
    {"linear_weights_not_to_quantize", list, "null", "Modules that stay unquantized.", true},
};
constexpr Key kSpqrKeys[] = {
    {"bits", number, "3", "Bits of a weight."},
    {"beta1", number, "16", "Size of a tile."},
    {"beta2", number, "16", "Size of a tile."},
    {"shapes", mapping, {}, "Shapes of the stored tensors."},
    kSkips,
};
constexpr Key kVptqKeys[] = {
    {"config_for_layers", mapping, "{}", "Settings by the name of a layer."},
    {"shared_layer_config", mapping, "{}", "Settings by the part of a layer."},
    {"enable_proxy_error", any, "false", "Measure errors."},
    kSkips,
};
constexpr Key kWeightsKeys[] = {
    {"weights", text, "int8", "Type of the weights."},
    {"activations", text, "null", "Type of the inputs.", true},
    kSkips,
};
constexpr Key kHiggsKeys[] = {
    {"bits", number, "4", "Bits of a weight."},
    {"p", number, "2", "Weights of a vector."},
    {"group_size", number, "256", "Weights that share a scale."},
    {"hadamard_size", number, "512", "Size of the rotation."},
    {"tune_metadata", any, "null", "Settings of the kernel.", true},
    kSkips,
};
constexpr Key kBitnetKeys[] = {
    {"linear_class", text, "bitlinear", "Class of the layers."},
    {"quantization_mode", text, "offline", "`offline` or `online`."},
    {"use_rms_norm", any, "false", "Normalize the inputs."},
    {"rms_norm_eps", any, "1e-06", "Setting of the normalization."},
    kSkips,
};
constexpr Key kMetalKeys[] = {
    {"bits", number, "4", "Bits of a weight."},
    {"group_size", number, "64", "Weights that share a scale."},
    kSkips,
};
constexpr Key kGemmaKeys[] = {
    {"num_bits", number, "4", "Bits of a weight."},
    {"module_quant_configs", mapping, "{}", "Patterns with other settings."},
    kSkips,
};
constexpr Key kQuarkKeys[] = {
    {"global_quant_config", mapping, "null", "Settings of layers without an entry.", true},
    {"layer_quant_config", mapping, "{}", "Globs with other settings."},
    {"layer_type_quant_config", mapping, "{}", "Classes with other settings."},
    {"exclude", list, "[]", "Layers that stay unquantized."},
    {"export", mapping, "null", "Settings of the export. vLLM requires this key.", true},
    {"algo_config", any, "null", "Algorithm that computed the values.", true},
    {"kv_cache_quant_config", any, "{}", "Settings of the attention cache."},
    {"kv_cache_post_rope", any, "false", "Quantize the keys after the rotation."},
    {"softmax_quant_spec", any, "null", "Settings of the softmax.", true},
    {"quant_mode", any, "eager_mode", "Mode of the quantizer."},
    {"version", any, "null", "Release of Quark.", true},
};
constexpr Key kSkipKeys[] = {kSkips};

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
    {"aqlm", "Additive quantization with codebooks.", kAqlmKeys, of_aqlm, whole_config},
    {"spqr", "3-bit weights with outliers.", kSpqrKeys, of_spqr, whole_config},
    {"vptq", "Vector quantization.", kVptqKeys, of_vptq, whole_config},
    {"eetq", "8-bit weights.", kWeightsKeys, int8, whole_config},
    {"higgs", "Grids of vectors with rotations.", kHiggsKeys, of_higgs, whole_config},
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
    {transformers, "awq", {&kTransformersAwq}, accepted::kTransformersAwq, FromFile::none, nullptr, nullptr, of_awq_in_transformers},
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
    {vllm, "fp8", {&kVllmFp8}, accepted::kVllmFp8, FromFile::none, nullptr, nullptr, of_fp8_in_runtimes},
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
    {sglang, "fp8", {&kSglangFp8}, accepted::kVllmFp8, FromFile::none, nullptr, nullptr, of_fp8_in_runtimes},
    {sglang, "awq", {&kSglangAwq}, accepted::kSglangAwq},
    {sglang, "bitsandbytes", {&kSglangBitsandbytes}},
    {sglang, "gptq", {&kSglangGptq}, accepted::kSglangGptq},
    {sglang, "quark", {&kSglangQuark}, accepted::kSglangQuark, FromFile::none, nullptr, nullptr, of_quark_file},
    {quark, "quark", {&kQuarkExclude, &kQuark}},
};

constexpr std::string_view kKnownToVllm[] = {
    "awq", "fp8", "modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed", "gguf", "auto_gptq", "gptq", "gptq_marlin",
    "awq_marlin", "humming", "compressed-tensors", "bitsandbytes", "experts_int8", "quark", "torchao", "inc",
    "mxfp4", "gpt_oss_mxfp4", "deepseek_v4_fp8", "cpu_awq", "online", "fp8_per_tensor", "fp8_per_block",
    "int8_per_channel_weight_only", "mxfp8"};

// docs/semantics/checkpoint.md#a1-9
constexpr std::string_view kKnownToSglang[] = {
    "fp8", "mxfp8", "blockwise_int8", "modelopt", "modelopt_fp8", "modelopt_fp4", "modelopt_mixed", "nvfp4_online",
    "w8a8_int8", "w8a8_fp8", "awq", "awq_marlin", "bitsandbytes", "gguf", "gptq", "gptq_marlin", "marlin", "moe_wna16",
    "compressed-tensors", "qoq", "w4afp8", "petit_nvfp4", "quark", "quark_mxfp4", "quark_int4fp8_moe", "auto-round",
    "auto-round-int8", "modelslim", "humming", "mxfp_w4a8", "mxfp4", "mlx_q4", "mlx_q8"};

// docs/semantics/checkpoint.md#a1-10
constexpr std::string_view kDeprecatedInVllm[] = {"fbgemm_fp8", "fp_quant"};

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

bool is_known_to_runtime(Program program, std::string_view method) {
  if (program == Program::vllm) return base::contains(kKnownToVllm, method);
  return program != Program::sglang || base::contains(kKnownToSglang, method);
}

bool is_deprecated_in_vllm(std::string_view method) { return base::contains(kDeprecatedInVllm, method); }

}  // namespace sparsecfg::dialect::checkpoint
