#include <algorithm>
#include <span>

#include "base/text.h"
#include "dialect/llmcompressor/mappings.h"

// Default mappings of SmoothQuant and AWQ.
namespace sparsecfg::dialect::llmcompressor {

// Model classes and their mappings, one mapping per line. A line has the patterns of the layers to balance, then the
// pattern of the scaled module, separated by blanks and without the prefix `re:.*`.
struct Usual {
  std::string_view models;
  std::string_view mappings;
};

// For these classes the mappings depend on the configuration or layers of the model.
constexpr std::string_view kSmoothedByModel =
    "Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForCausalLM Qwen3_5MoeForConditionalGeneration";
constexpr std::string_view kAwqByModel =
    "Qwen3NextForCausalLM Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForCausalLM "
    "Qwen3_5MoeForConditionalGeneration Step3p5ForCausalLM";

// The last row applies to all other models.
constexpr Usual kUsualSmoothing[] = {
    {"AfmoeForCausalLM",
     "self_attn\\.q_proj self_attn\\.k_proj self_attn\\.v_proj self_attn\\.gate_proj input_layernorm\n"
     "mlp.*gate_proj mlp.*up_proj pre_mlp_layernorm"},
    {"BloomForCausalLM ChatGLMForConditionalGeneration",
     "query_key_value input_layernorm\ndense_h_to_4h post_attention_layernorm"},
    {"Cohere2ForCausalLM Cohere2VisionForConditionalGeneration CohereForCausalLM",
     "self_attn\\.q_proj$ self_attn\\.k_proj$ self_attn\\.v_proj$ mlp\\.gate_proj$ mlp\\.up_proj$ input_layernorm$"},
    {"DeepseekV2ForCausalLM DeepseekV3ForCausalLM Glm4MoeLiteForCausalLM GlmMoeDsaForCausalLM",
     "q(_a)?_proj$ kv_a_proj_with_mqa input_layernorm"},
    {"Ernie4_5_MoeForCausalLM MixtralForCausalLM", "q_proj k_proj v_proj input_layernorm"},
    {"Phi3ForCausalLM Phi3VForCausalLM", "qkv_proj input_layernorm\ngate_up_proj post_attention_layernorm"},
    {"Qwen2MoeForCausalLM Qwen3MoeForCausalLM", "q_proj$ k_proj$ v_proj$ input_layernorm$"},
    {"WhisperForConditionalGeneration", "k_proj v_proj q_proj self_attn_layer_norm\nfc1 final_layer_norm"},
    {"", "q_proj k_proj v_proj input_layernorm\ngate_proj up_proj post_attention_layernorm"},
};

constexpr Usual kUsualAwq[] = {
    {"AfmoeForCausalLM",
     "self_attn.q_proj$ self_attn.k_proj$ self_attn.v_proj$ self_attn.gate_proj$ input_layernorm$\no_proj$ v_proj$\n"
     "mlp.router$ mlp.*gate_proj$ mlp.*up_proj$ pre_mlp_layernorm$\ndown_proj$ up_proj$"},
    {"BloomForCausalLM",
     "query_key_value$ input_layernorm$\ndense_h_to_4h$ post_attention_layernorm$\ndense_4h_to_h$ gelu_impl$"},
    {"Cohere2ForCausalLM Cohere2VisionForConditionalGeneration CohereForCausalLM",
     "self_attn.q_proj$ self_attn.k_proj$ self_attn.v_proj$ mlp.gate_proj$ mlp.up_proj$ input_layernorm$\n"
     "o_proj$ v_proj$\ndown_proj$ up_proj$"},
    {"DeepseekV3ForCausalLM",
     "(q|q_a)_proj$ kv_a_proj_with_mqa$ input_layernorm$\nq_b_proj$ q_a_layernorm$\nkv_b_proj$ kv_a_layernorm$\n"
     "mlp.gate$ gate_proj$ up_proj$ post_attention_layernorm$\ndown_proj$ up_proj$"},
    {"Exaone4ForCausalLM Olmo3ForCausalLM OlmoForCausalLM", "o_proj$ v_proj$\ndown_proj$ up_proj$"},
    {"Gemma2ForCausalLM",
     "q_proj$ k_proj$ v_proj$ input_layernorm$\no_proj$ v_proj$\n"
     "gate_proj$ up_proj$ pre_feedforward_layernorm$\ndown_proj$ up_proj$"},
    {"Gemma3ForCausalLM Gemma3ForConditionalGeneration",
     "o_proj$ v_proj$\ngate_proj$ up_proj$ pre_feedforward_layernorm$\ndown_proj$ up_proj$"},
    {"Glm4MoeForCausalLM Qwen2MoeForCausalLM Qwen3MoeForCausalLM",
     "q_proj$ k_proj$ v_proj$ input_layernorm$\no_proj$ v_proj$\n"
     "mlp.gate$ mlp.experts.*.gate_proj$ mlp.experts.*.up_proj$ post_attention_layernorm$\ndown_proj$ up_proj$"},
    {"Glm4MoeLiteForCausalLM GlmMoeDsaForCausalLM",
     "(q|q_a)_proj$ kv_a_proj_with_mqa$ input_layernorm$\nq_b_proj$ q_a_layernorm$\nkv_b_proj$ kv_a_layernorm$\n"
     "gate_proj$ up_proj$ post_attention_layernorm$\ndown_proj$ up_proj$"},
    {"Llama4ForConditionalGeneration",
     "q_proj$ k_proj$ v_proj$ input_layernorm$\no_proj$ v_proj$\n"
     "feed_forward.router$ feed_forward.*.gate_proj$ feed_forward.*.up_proj$ post_attention_layernorm$\n"
     "down_proj$ up_proj$"},
    {"Phi3ForCausalLM Phi3VForCausalLM",
     "qkv_proj$ input_layernorm$\no_proj$ qkv_proj$\ngate_up_proj$ post_attention_layernorm$\ndown_proj$ "
     "gate_up_proj$"},
    {"",
     "q_proj$ k_proj$ v_proj$ input_layernorm$\no_proj$ v_proj$\n"
     "gate_proj$ up_proj$ post_attention_layernorm$\ndown_proj$ up_proj$"},
};

static bool names_model(std::string_view models, std::string_view model) {
  return base::contains(base::parts_of(models, ' '), model);
}

static Mapping mapping_of(std::string_view line, source::Span span) {
  std::vector<std::string> patterns;
  for (const std::string_view pattern : base::parts_of(line, ' ')) patterns.push_back("re:.*" + std::string(pattern));
  std::string scaled = std::move(patterns.back());
  patterns.pop_back();
  return {std::move(patterns), std::move(scaled), span};
}

std::vector<Mapping> usual_mappings(ClassKind kind, std::string_view model, source::Span span) {
  const bool awq = kind == ClassKind::awq;
  std::vector<Mapping> out;
  if (names_model(awq ? kAwqByModel : kSmoothedByModel, model)) {
    return out;
  }
  const std::span<const Usual> rows = awq ? std::span<const Usual>(kUsualAwq) : kUsualSmoothing;
  const auto last = rows.end() - 1;
  const auto row = std::find_if(rows.begin(), last, [&](const Usual& each) { return names_model(each.models, model); });
  for (const std::string_view line : base::parts_of(row->mappings, '\n')) out.push_back(mapping_of(line, span));
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
