#include "dialect/gptqmodel/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "dialect/quantizers/selection.h"

namespace sparsecfg::dialect::gptqmodel {

// clang-format off
constexpr Definition kDefinitions[] = {
    {"backbone.layers",
     "mixer.{in,x,out}_proj",
     "falcon_mamba"},
    {"backbone.layers",
     "mixer.{q,k,v,o,in,out,gate,up,down}_proj",
     "nemotron_h"},
    {"encoder.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj",
     "nemotron_labs_diffusion"},
    {"gpt_neox.layers",
     "attention.{query_key_value,dense} mlp.{dense_h_to_4h,dense_4h_to_h}",
     "gpt_neox"},
    {"language.model.layers",
     "self_attn.{q_a,q_b,q,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "deepseek_vl_v2"},
    {"language_model.backbone.layers",
     "mixer.{q,k,v,o,in,out,gate,up,down}_proj",
     "nemotronh_nano_omni_reasoning_v3"},
    {"language_model.model.layers",
     "self_attn.{q,k,v,o}_proj feed_forward.experts.#.{gate,up,down}_proj feed_forward.shared_expert.{gate,up,down}_proj",
     "llama4"},
    {"language_model.model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj",
     "glmasr internvl_chat mllama voxtral"},
    {"language_model.model.layers",
     "self_attn.{q,q_a,q_b,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "kimi_k25"},
    {"layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "glm4v_moe_text"},
    {"llm.model.layers",
     "self_attn.{q,k,v,o}_proj linear_attn.in_proj_qkvz linear_attn.out_proj mlp.shared_expert.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "ovis2_6_next"},
    {"llm.model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj",
     "ovis2_6_moe"},
    {"llm.model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj",
     "minicpmo minicpmv ovis ovis2_5"},
    {"model.decoder.layers",
     "self_attn.{q,k,v,out}_proj {fc1,fc2}",
     "opt"},
    {"model.language_model.layers",
     "conv.{in,out}_proj self_attn.{q,k,v,out}_proj feed_forward.{w1,w3,w2}",
     "lfm2_vl"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,gate,o}_proj mlp.{gate,up,down}_proj",
     "muse_glimmer"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj linear_attn.{in_proj_qkv,in_proj_z} linear_attn.out_proj mlp.shared_expert.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "intern_s2_preview"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj linear_attn.{in_proj_qkv,in_proj_z} linear_attn.out_proj mlp.{gate,up,down}_proj",
     "minicpmv4_6"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "glm4v_moe"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj",
     "glm4v glm_ocr cohere_compass interns1 gemma3 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen3_vl deepseek_vl mllama mage_vl ovis2 mistral3"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "deepseek_ocr2"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.text_moe.experts.#.{gate,upe,down}_proj mlp.vision_moe.experts.#.{gate,upe,down}_proj",
     "ernie4_5_moe_vl ernie4_5_vl_moe"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj {per_layer_input_gate,per_layer_projection}",
     "gemma4"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,o}_proj self_attn.indexer.{q,k}_proj mlp.{gate_up,down}_proj mlp.shared_experts.{gate_up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "minimax_m3_vl"},
    {"model.language_model.layers",
     "self_attn.{q,k,v,r,o}_proj mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "inkling_mm_model"},
    {"model.layers",
     "attention.query_key_value mlp.shared_experts.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "bailing_moe bailing_hybrid"},
    {"model.layers",
     "attention.{query_key_value,dense} mlp.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "llada2_moe"},
    {"model.layers",
     "attention.{wqkv,wo} feed_forward.{w1,w3,w2}",
     "internlm2"},
    {"model.layers",
     "conv.{in,out}_proj self_attn.{q,k,v,out}_proj feed_forward.{w1,w3,w2}",
     "lfm2"},
    {"model.layers",
     "conv.{in,out}_proj self_attn.{q,k,v,o}_proj feed_forward.{w1,w3,w2} feed_forward.experts.#.{w1,w3,w2}",
     "lfm2_moe"},
    {"model.layers",
     "mamba.{in,out}_proj linear mamba_decoder.mamba.{in,out}_proj",
     "zamba zamba2"},
    {"model.layers",
     "mamba.{in,out}_proj moe.experts.0.{gate,up,down}_proj",
     "hymba"},
    {"model.layers",
     "mamba.{in,out}_proj self_attn.{q,k,v,o}_proj shared_mlp.{input_linear,output_linear}",
     "granitemoehybrid"},
    {"model.layers",
     "mixer.{q,k,v,in,o,out,fc1_latent,fc2_latent}_proj mixer.experts.#.{up,down}_proj mixer.shared_experts.{up,down}_proj",
     "nemotron_h_puzzle"},
    {"model.layers",
     "self_attn.0.{q_a,q_b,kv_b,o}_proj self_attn.0.kv_a_proj_with_mqa self_attn.1.{q_a,q_b,kv_b,o}_proj self_attn.1.kv_a_proj_with_mqa mlps.0.{gate,up,down}_proj mlps.1.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "longcat_flash"},
    {"model.layers",
     "self_attn.W_pack self_attn.o_proj mlp.{gate,up,down}_proj",
     "baichuan"},
    {"model.layers",
     "self_attn.qkv_proj.base_layer self_attn.o_proj.base_layer mlp.gate_up_proj.base_layer mlp.down_proj.base_layer",
     "phi4mm"},
    {"model.layers",
     "self_attn.{q,k,v,g,o}_proj mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "solar_open2"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj block_sparse_moe.experts.#.{w1,w3,w2}",
     "minimax minimax_m2 grinmoe"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj feed_forward.experts.#.{gate,up,down}_proj feed_forward.shared_expert.{gate,up,down}_proj",
     "llama4_text"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj linear_attn.in_proj_qkvz linear_attn.out_proj mlp.shared_expert.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "qwen3_next"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mamba.{in,out}_proj feed_forward.{gate,up,down}_proj",
     "falcon_h1"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.c_fc mlp.c_proj",
     "starcoder2"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj",
     "qwen3_moe gpt_oss"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj mlp.experts.#.{w1,w3,w2} block_sparse_moe.experts.#.{gate,up,down}_proj block_sparse_moe.experts.#.{w1,w3,w2}",
     "mixtral phimoe"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "solar_open"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "glm4_moe hy_v3"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "cohere2_moe"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.shared_expert.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "qwen2_moe afmoe"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.shared_experts.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "klear"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.shared_experts.{gate,up,down}_proj mlp.shared_expert.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "laguna"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.shared_mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "hunyuan_v1_moe"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj",
     "dream brumby llama smollm3 glm glm4 cohere cohere2 internlm hunyuan_v1_dense mistral yi xverse deci nemotron-nas stablelm_epoch stablelm qwen2 qwen3 longllama gemma gemma2 gemma3_text minicpm ministral3 exaone4 mllama_text_model marin granite mobilellm olmo2 olmo3 instella mimo ernie4_5 seed_oss llava_qwen2"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "dots1"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.experts.#.{gate,upe,down}_proj",
     "ernie4_5_moe"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj {per_layer_input_gate,per_layer_projection}",
     "gemma4_text"},
    {"model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{up,down}_proj",
     "apertus"},
    {"model.layers",
     "self_attn.{q,k,v}_proj self_attn.dense mlp.{fc1,fc2}",
     "phi"},
    {"model.layers",
     "self_attn.{q,q_a,q_b,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "glm4_moe_lite"},
    {"model.layers",
     "self_attn.{q,q_a,q_b,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "kimi_k2 deepseek_v3"},
    {"model.layers",
     "self_attn.{q,q_a,q_b,kv_b,o}_proj self_attn.kv_a_proj_with_mqa self_attn.indexer.{wk,wq_b} mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj mlp.{gate,up,down}_proj",
     "glm_moe_dsa"},
    {"model.layers",
     "self_attn.{q_a,q_b,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.{gate,up,down}_proj",
     "minicpm3"},
    {"model.layers",
     "self_attn.{q_a,q_b,kv_b,o}_proj self_attn.kv_a_proj_with_mqa self_attn.indexer.{wk,wq_b} mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "deepseek_v32"},
    {"model.layers",
     "self_attn.{q_a,q_b,o_b,kv}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "deepseek_v4"},
    {"model.layers",
     "self_attn.{q_a,q_b,q,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "deepseek_v2"},
    {"model.layers",
     "self_attn.{q_a,q_gate,kv_b,o}_proj self_attn.kv_a_proj_with_mqa mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj mlp.shared_experts.{gate,up,down}_proj",
     "axk2"},
    {"model.layers",
     "self_attn.{qkv,o}_proj mlp.{gate,up,down,gate_up}_proj",
     "phi3"},
    {"model.layers",
     "self_attn.{qkv,q,k,v,o}_proj mlp.{gate,up,down}_proj mlp.experts.#.{gate,up,down}_proj",
     "mimo_v2"},
    {"thinker.model.layers",
     "self_attn.{q,k,v,o}_proj mlp.experts.#.{gate,up,down}_proj",
     "qwen3_omni_moe"},
    {"thinker.model.layers",
     "self_attn.{q,k,v,o}_proj mlp.{gate,up,down}_proj",
     "qwen2_5_omni"},
    {"transformer.blocks",
     "attn.Wqkv attn.out_proj ffn.{up,down}_proj",
     "mpt"},
    {"transformer.blocks",
     "norm_attn_norm.attn.{q,k,v,out}_proj ffn.experts.mlp.#.{w1,v1,w2}",
     "dbrx_converted"},
    {"transformer.encoder.layers",
     "self_attention.{query_key_value,dense} mlp.{dense_h_to_4h,dense_4h_to_h}",
     "chatglm"},
    {"transformer.h",
     "attn.attention.{q,k,v,out}_proj mlp.c_fc mlp.c_proj",
     "gpt_neo"},
    {"transformer.h",
     "attn.attention.{q,k,v,out}_proj mlp.{c_fc_0,c_fc_1} mlp.c_proj",
     "exaone"},
    {"transformer.h",
     "attn.c_attn attn.c_proj mlp.c_fc mlp.c_proj",
     "gpt2 gpt_bigcode"},
    {"transformer.h",
     "attn.c_attn attn.c_proj mlp.{w1,w2} mlp.c_proj",
     "qwen"},
    {"transformer.h",
     "attn.{q,k,v,c}_proj mlp.c_fc mlp.c_proj",
     "gpt_pangu"},
    {"transformer.h",
     "attn.{q,k,v,out}_proj mlp.{fc_in,fc_out}",
     "gptj"},
    {"transformer.h",
     "attn.{qkv,out}_proj mlp.{fc_in,fc_out}",
     "moss codegen"},
    {"transformer.h",
     "self_attention.dense mlp.{gate,up,down}_proj",
     "telechat"},
    {"transformer.h",
     "self_attention.{query_key_value,dense} mlp.{dense_h_to_4h,dense_4h_to_h}",
     "bloom refinedWebModel refinedWeb falcon"},
};

// clang-format on

std::span<const Definition> definitions() { return kDefinitions; }

// Returns the names of an item such as `a.{q,k}_proj`.
static std::vector<std::string> expanded(std::string_view item) {
  const std::size_t open = item.find('{');
  const std::size_t close = item.find('}');
  if (open == item.npos) return {std::string(item)};
  std::vector<std::string> out;
  for (const std::string_view word : base::parts_of(item.substr(open + 1, close - open - 1), ',')) {
    out.push_back(fmt::format("{}{}{}", item.substr(0, open), word, item.substr(close + 1)));
  }
  return out;
}

static std::set<std::string> layers_of(const Definition& definition) {
  std::set<std::string> out;
  for (const std::string_view item : base::parts_of(definition.layers, ' ')) {
    for (std::string& name : expanded(item)) out.insert(std::move(name));
  }
  return out;
}

static bool is_number(std::string_view part) { return !part.empty() && std::ranges::all_of(part, base::is_digit); }

// Replaces the numbers of a name: "mlp.experts.#.up_proj".
static std::string without_numbers(std::string_view name) {
  std::vector<std::string_view> parts = base::parts_of(name, '.');
  std::ranges::replace_if(parts, is_number, "#");
  return fmt::format("{}", fmt::join(parts, "."));
}

// Returns the name of a module in a block of a list of blocks; empty if it is outside.
static std::string_view name_in_block(std::string_view name, std::string_view blocks) {
  const bool below = name.size() > blocks.size() && name.starts_with(blocks) && name[blocks.size()] == '.';
  const std::string_view rest = below ? name.substr(blocks.size() + 1) : std::string_view();
  const std::size_t dot = rest.find('.');
  return dot != std::string_view::npos && is_number(rest.substr(0, dot)) ? rest.substr(dot + 1) : std::string_view();
}

// Returns the names in blocks for the modules that `selects` returns true for.
static std::vector<std::string> names_below(std::span<const model::Module> modules, std::string_view blocks,
                                            auto selects) {
  std::vector<std::string> out;
  out.reserve(modules.size());
  for (const model::Module& module : modules) {
    const std::string_view name = quantizers::is_linear(module) ? name_in_block(module.name, blocks) : "";
    out.emplace_back(!name.empty() && selects(name) ? name : std::string_view());
  }
  return out;
}

// Returns the first list of blocks that is not a part of a vision or audio tower.
static std::string first_blocks(std::span<const model::Module> modules) {
  constexpr std::string_view kOther[] = {"visual", "vision", "audio"};
  for (const model::Module& module : modules) {
    const bool other =
        std::ranges::any_of(kOther, [&](std::string_view word) { return module.name.find(word) != std::string::npos; });
    const std::vector<std::string_view> parts = base::parts_of(module.name, '.');
    const auto number = std::ranges::find_if(parts, is_number);
    if (!other && number != parts.end() && number != parts.begin()) {
      return fmt::format("{}", fmt::join(parts.begin(), number, "."));
    }
  }
  return {};
}

static bool is_router(std::string_view name) {
  const std::string_view last = base::last_part(name);
  return last == "gate" || last == "shared_expert_gate";
}

namespace {

// Numbers of layers by their names without numbers.
using LayerCounts = std::map<std::string, std::size_t, std::less<>>;

}  // namespace

static LayerCounts counts_below(std::span<const model::Module> modules, std::string_view blocks) {
  LayerCounts out;
  for (const model::Module& module : modules) {
    const std::string_view name = quantizers::is_linear(module) ? name_in_block(module.name, blocks) : "";
    if (!name.empty()) ++out[without_numbers(name)];
  }
  return out;
}

// Returns the definition that fits the most layers, of these the one with the fewest other layers; null if none fits.
static const Definition* best_definition(std::span<const model::Module> modules) {
  std::map<std::string_view, LayerCounts> known;
  const Definition* best = nullptr;
  std::size_t most = 0;
  std::size_t fewest = 0;
  for (const Definition& definition : kDefinitions) {
    const auto [counts, is_new] = known.try_emplace(definition.blocks);
    if (is_new) counts->second = counts_below(modules, definition.blocks);
    if (counts->second.empty()) continue;
    const std::set<std::string> layers = layers_of(definition);
    std::size_t count = 0;
    for (const auto& [name, number] : counts->second) count += layers.contains(name) ? number : 0;
    if (count == 0 || count < most || (count == most && layers.size() >= fewest)) continue;
    best = &definition;
    most = count;
    fewest = layers.size();
  }
  return best;
}

std::vector<std::string> names_in_blocks(std::span<const model::Module> modules) {
  const Definition* best = best_definition(modules);
  if (best == nullptr)
    return names_below(modules, first_blocks(modules), [](std::string_view name) { return !is_router(name); });
  const std::set<std::string> layers = layers_of(*best);
  return names_below(modules, best->blocks,
                     [&](std::string_view name) { return layers.contains(without_numbers(name)); });
}

}  // namespace sparsecfg::dialect::gptqmodel
