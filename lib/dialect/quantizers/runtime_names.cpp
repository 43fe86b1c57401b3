#include "dialect/quantizers/runtime_names.h"

#include "base/text.h"

namespace sparsecfg::dialect::quantizers {

// clang-format off

constexpr PrefixRow kPrefixes[] = {
    {"Qwen3VLForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen3VLForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen3VLForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Qwen3VLMoeForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen3VLMoeForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen3VLMoeForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Qwen2VLForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Qwen2VLForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen2VLForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen2VLForConditionalGeneration", "model.", "language_model.model."},
    {"Qwen2_5_VLForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Qwen2_5_VLForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen2_5_VLForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen2_5_VLForConditionalGeneration", "model.", "language_model.model."},
    {"Qwen3_5ForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen3_5ForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen3_5ForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Qwen3_5MoeForConditionalGeneration", "model.visual.", "visual."},
    {"Qwen3_5MoeForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Qwen3_5MoeForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Glm4vForConditionalGeneration", "model.visual.", "visual."},
    {"Glm4vForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Glm4vForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Gemma3ForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Gemma3ForConditionalGeneration", "model.vision_tower.", "vision_tower."},
    {"Gemma3ForConditionalGeneration", "model.multi_modal_projector.", "multi_modal_projector."},
    {"Gemma3ForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"LlavaForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"LlavaForConditionalGeneration", "model.vision_tower.", "vision_tower."},
    {"LlavaForConditionalGeneration", "model.multi_modal_projector.", "multi_modal_projector."},
    {"LlavaForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"LlavaNextForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"LlavaNextForConditionalGeneration", "model.vision_tower.", "vision_tower."},
    {"LlavaNextForConditionalGeneration", "model.multi_modal_projector.", "multi_modal_projector."},
    {"LlavaNextForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"LlavaOnevisionForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"LlavaOnevisionForConditionalGeneration", "model.vision_tower.", "vision_tower."},
    {"LlavaOnevisionForConditionalGeneration", "model.multi_modal_projector.", "multi_modal_projector."},
    {"LlavaOnevisionForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"PaliGemmaForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"PaliGemmaForConditionalGeneration", "model.vision_tower.", "vision_tower."},
    {"PaliGemmaForConditionalGeneration", "model.multi_modal_projector.", "multi_modal_projector."},
    {"PaliGemmaForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Mistral3ForConditionalGeneration", "model.language_model.", "language_model.model."},
    {"Mistral3ForConditionalGeneration", "model.vision_tower.", "vision_tower."},
    {"Mistral3ForConditionalGeneration", "model.multi_modal_projector.", "multi_modal_projector."},
    {"Mistral3ForConditionalGeneration", "lm_head.", "language_model.lm_head."},
    {"Mistral3ForConditionalGeneration", "model.", "language_model.model."},
    {"GptOssForCausalLM", ".self_attn.", ".attn."},
};

// clang-format on

std::span<const PrefixRow> prefix_rows() { return kPrefixes; }

bool splits_columns(std::string_view layer) {
  constexpr std::string_view kNames[] = {"o_proj", "down_proj", "out_proj", "fc2", "dense_4h_to_h", "wo", "w2"};
  return base::contains(kNames, base::last_part(layer));
}

std::uint64_t columns_together(const ir::Scheme& scheme) {
  if (scheme.weights.empty()) return 0;
  const ir::TensorFormat& format = scheme.weights.front();
  const std::int64_t size = format.granularity == ir::Granularity::block ? format.block[1] : format.group_size;
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

}  // namespace sparsecfg::dialect::quantizers
