#include "dialect/modelopt/library.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sparsecfg::dialect::modelopt {

using source::Value;

namespace {

// --- the table --------------------------------------------------------------------------------------

struct Row {
  std::string_view name;
  std::string_view content;
};

// Attributes as JSON.
constexpr Row kNumerics[] = {
    {"fp8", R"({"num_bits": "e4m3", "axis": null})"},
    {"int4_per_block", R"({"num_bits": 4, "block_sizes": {"-1": 128, "type": "static"}})"},
    {"int8", R"({"num_bits": 8, "axis": null})"},
    {"int8_per_channel", R"({"num_bits": 8, "axis": 0})"},
    {"mxfp4", R"({"num_bits": "e2m1", "block_sizes": {"-1": 32, "type": "dynamic", "scale_bits": "e8m0"}})"},
    {"mxfp6", R"({"num_bits": "e3m2", "block_sizes": {"-1": 32, "type": "dynamic", "scale_bits": "e8m0"}})"},
    {"mxfp8", R"({"num_bits": "e4m3", "block_sizes": {"-1": 32, "type": "dynamic", "scale_bits": "e8m0"}})"},
    {"mxint8", R"({"num_bits": 8, "block_sizes": {"-1": 32, "type": "dynamic", "scale_bits": "e8m0"}})"},
    {"nvfp4", R"({"num_bits": "e2m1", "block_sizes": {"-1": 16, "type": "dynamic", "scale_bits": "e4m3"},
                  "effective_bits": 4.5})"},
    {"nvfp4_bs32", R"({"num_bits": "e2m1", "block_sizes": {"-1": 32, "type": "dynamic", "scale_bits": "e4m3"}})"},
    {"nvfp4_four_over_six",
     R"({"num_bits": "e2m1",
         "block_sizes": {"-1": 16, "type": "static", "scale_bits": "e4m3", "four_over_six": true}})"},
    {"nvfp4_static", R"({"num_bits": "e2m1", "block_sizes": {"-1": 16, "type": "static", "scale_bits": "e4m3"}})"},
};

// Attributes that presets write without a snippet.
constexpr Row kInlineAttributes[] = {
    {"fp8_blocks", R"({"num_bits": "e4m3", "axis": null, "block_sizes": {"-1": 128, "-2": 128}})"},
    {"fp8_channel", R"({"num_bits": "e4m3", "axis": 0})"},
    {"fp8_token", R"({"num_bits": "e4m3", "axis": null, "type": "dynamic", "block_sizes": {"-1": null}})"},
    {"fp8_cast", R"({"num_bits": "e4m3", "axis": null, "use_constant_amax": true})"},
    {"fp8_affine", R"({"num_bits": "e4m3", "axis": null, "bias": {"-2": null, "-4": null, "type": "static"}})"},
    {"nvfp4_cast", R"({"num_bits": "e2m1", "block_sizes": {"-1": 16, "type": "dynamic", "scale_bits": "e4m3"},
                       "effective_bits": 4.5, "use_constant_amax": true})"},
    {"nvfp4_affine", R"({"num_bits": "e2m1", "block_sizes": {"-1": 16, "type": "dynamic", "scale_bits": "e4m3"},
                         "effective_bits": 4.5, "bias": {"-2": null, "-4": null, "type": "static"}})"},
    {"nvfp4_rotated", R"({"num_bits": "e2m1", "block_sizes": {"-1": 16, "type": "dynamic", "scale_bits": "e4m3"},
                          "effective_bits": 4.5, "rotate": true})"},
    {"rotated", R"({"rotate": true})"},
};

// Lists of entries. `-a` turns the quantizers that match `a` off, `-C:a` those in modules of the class C. `a=f` sets
// attributes, `a=f+g` those of quantizers in sequence, `-a=f` sets attributes and turns off. `@u` inserts a unit.
constexpr Row kUnits[] = {
    {"base_disable_all", "-*"},
    {"default_disabled_quantizers",
     "-*block_sparse_moe.gate* -*linear_attn.conv1d* -*linear_attn.in_proj_a* -*linear_attn.in_proj_b* -*lm_head* "
     "-*mixer.conv1d* -*mlp.gate.* -*mlp.shared_expert_gate.* -*output_layer* -*proj_out.* -*router* -mtp.* -output.* "
     "-*embed_vision* -*vision_tower* -*visual* -*vision_model* -*multi_modal_projector* -nn.BatchNorm1d:* "
     "-nn.BatchNorm2d:* -nn.BatchNorm3d:* -nn.LeakyReLU:* -nn.Embedding:*"},
    {"mamba_moe_disabled_quantizers",
     "-*fc1_latent_proj* -*fc2_latent_proj* -*q_proj* -*k_proj* -*v_proj* -*o_proj* -*self_attention.linear_qkv* "
     "-*self_attention.linear_proj*"},
    {"attention_qkv_fp8", "*[qkv]_bmm_quantizer=fp8 *softmax_quantizer=fp8 *p_bmm_quantizer=fp8"},
    {"block_sparse_moe_nvfp4", "*block_sparse_moe*weight_quantizer=nvfp4 *block_sparse_moe*input_quantizer=nvfp4"},
    {"experts_nvfp4", "*.experts.*weight_quantizer=nvfp4 *.experts.*input_quantizer=nvfp4"},
    {"kv_fp8", "*[kv]_bmm_quantizer=fp8"},
    {"kv_fp8_affine", "@kv_fp8 *[kv]_bmm_quantizer=fp8_affine"},
    {"kv_fp8_cast", "*[kv]_bmm_quantizer=fp8_cast"},
    {"kv_nvfp4", "*[kv]_bmm_quantizer=nvfp4"},
    {"kv_nvfp4_affine", "@kv_nvfp4 *[kv]_bmm_quantizer=nvfp4_affine"},
    {"kv_nvfp4_cast", "*[kv]_bmm_quantizer=nvfp4_cast"},
    {"kv_nvfp4_rotate", "-*q_bmm_quantizer=rotated *k_bmm_quantizer=nvfp4_rotated *v_bmm_quantizer=nvfp4"},
    {"mixer_mlp_nvfp4",
     "*.mixer.up_proj.weight_quantizer=nvfp4 *.mixer.up_proj.input_quantizer=nvfp4 "
     "*.mixer.down_proj.weight_quantizer=nvfp4 *.mixer.down_proj.input_quantizer=nvfp4"},
    {"w4_nvfp4", "*weight_quantizer=nvfp4"},
    {"w4a4_nvfp4_nvfp4", "*weight_quantizer=nvfp4 *input_quantizer=nvfp4"},
    {"w4a4_nvfp4_nvfp4_four_over_six", "*weight_quantizer=nvfp4_four_over_six *input_quantizer=nvfp4"},
    {"w8a8_fp8_fp8", "*weight_quantizer=fp8 *input_quantizer=fp8"},
};

// Whole lists under `huggingface/`.
constexpr std::string_view kQwen35 =
    "@base_disable_all *mlp*gate_proj*weight_quantizer*=FORMAT *mlp*up_proj*weight_quantizer*=FORMAT "
    "*mlp*down_proj*weight_quantizer*=FORMAT *self_attn*weight_quantizer=fp8 *self_attn*input_quantizer=fp8 "
    "*linear_attn.in_proj_qkv*weight_quantizer=fp8 *linear_attn.in_proj_qkv*input_quantizer=fp8 "
    "*linear_attn.in_proj_z*weight_quantizer=fp8 *linear_attn.in_proj_z*input_quantizer=fp8 "
    "*linear_attn.out_proj*weight_quantizer=fp8 *linear_attn.out_proj*input_quantizer=fp8 @kv_fp8_cast "
    "@default_disabled_quantizers -*linear_attn.in_proj_a* -*linear_attn.in_proj_b* -*visual* -*vision_tower* -*mtp* "
    "*lm_head*weight_quantizer=FORMAT";
constexpr Row kModelLists[] = {
    {"diffusion_gemma/ptq/disabled_quantizers", "@default_disabled_quantizers -*self_conditioning*"},
    {"nemotron_vl/ptq/disabled_quantizers",
     "@default_disabled_quantizers -*vision* -*image* -*radio* -*visual* -*encoder* -*model_encoder*"},
    {"qwen3_5/ptq/w4a16_nvfp4-fp8_attn-kv_fp8_cast.quant_cfg", "nvfp4"},             // kQwen35 with this format
    {"qwen3_5/ptq/w4a16_nvfp4_mse-fp8_attn-kv_fp8_cast.quant_cfg", "nvfp4_static"},  // the same
};

constexpr Row kPatternLists[] = {
    {"base_cost_excluded_layers", "*visual* *mtp* *vision_tower*"},
    {"base_disabled_layers",
     "*block_sparse_moe.gate* *linear_attn.conv1d* *linear_attn.in_proj_a* *linear_attn.in_proj_b* *mixer.conv1d* "
     "*mlp.gate.* *mlp.shared_expert_gate.* *output_layer* *proj_out.* *router* output.* *embed_vision* "
     "*vision_tower* *visual* *shared_expert_gate*"},
};

struct PresetRow {
  std::string_view name;
  std::string_view algorithm;  // as JSON; empty: the key is absent
  std::string_view entries;    // inserted between the disable of `*` and the default disables
  enum class Frame : std::uint8_t { usual, none, only_first } frame = Frame::usual;
};

constexpr std::string_view kMaxCalibration = R"("max")";
constexpr PresetRow kPresets[] = {
    {"model/fp8", kMaxCalibration, "@w8a8_fp8_fp8"},
    {"model/fp8_2d_blockwise_weight_only", kMaxCalibration, "*weight_quantizer=fp8_blocks -*input_quantizer"},
    {"model/fp8_per_channel_per_token", kMaxCalibration, "*weight_quantizer=fp8_channel *input_quantizer=fp8_token"},
    {"model/int4_awq", R"({"method": "awq_lite", "alpha_step": 0.1})",
     "*weight_quantizer=int4_per_block -*input_quantizer"},
    {"model/int4_blockwise_weight_only", kMaxCalibration, "*weight_quantizer=int4_per_block -*input_quantizer"},
    {"model/int8", kMaxCalibration, "*weight_quantizer=int8_per_channel *input_quantizer=int8"},
    {"model/int8_smoothquant", R"("smoothquant")", "*weight_quantizer=int8_per_channel *input_quantizer=int8"},
    {"model/int8_weight_only", kMaxCalibration, "*weight_quantizer=int8_per_channel -*input_quantizer"},
    {"model/mamba_moe_fp8_aggressive", kMaxCalibration,
     "@base_disable_all @w8a8_fp8_fp8 @default_disabled_quantizers @mamba_moe_disabled_quantizers",
     PresetRow::Frame::none},
    {"model/mamba_moe_fp8_conservative", kMaxCalibration,
     "@base_disable_all @w8a8_fp8_fp8 @default_disabled_quantizers @mamba_moe_disabled_quantizers -*mixer.in_proj* "
     "-*mixer.out_proj*",
     PresetRow::Frame::none},
    {"model/mamba_moe_nvfp4_aggressive", kMaxCalibration,
     "@base_disable_all @w4a4_nvfp4_nvfp4 @default_disabled_quantizers @mamba_moe_disabled_quantizers",
     PresetRow::Frame::none},
    {"model/mamba_moe_nvfp4_conservative", kMaxCalibration,
     "@base_disable_all @w4a4_nvfp4_nvfp4 @default_disabled_quantizers @mamba_moe_disabled_quantizers -*mixer.in_proj* "
     "-*mixer.out_proj*",
     PresetRow::Frame::none},
    {"model/mxfp4", "null", "*weight_quantizer=mxfp4 *input_quantizer=mxfp4"},
    {"model/mxfp4_mlp_weight_only", "null", "*mlp*weight_quantizer=mxfp4 *block_sparse_moe*weight_quantizer=mxfp4"},
    {"model/mxfp6", "null", "*weight_quantizer=mxfp6 *input_quantizer=mxfp6"},
    {"model/mxfp8", "null", "*weight_quantizer=mxfp8 *input_quantizer=mxfp8"},
    {"model/mxint8", "null", "*weight_quantizer=mxint8 *input_quantizer=mxint8"},
    {"model/nvfp4", kMaxCalibration, "@w4a4_nvfp4_nvfp4"},
    {"model/nvfp4_awq_clip", R"({"method": "awq_clip"})", "@w4a4_nvfp4_nvfp4"},
    {"model/nvfp4_awq_full", R"({"method": "awq_full", "alpha_step": 0.1})", "@w4a4_nvfp4_nvfp4"},
    {"model/nvfp4_awq_lite", R"("awq_lite")", "@w4a4_nvfp4_nvfp4"},
    {"model/nvfp4_experts_only", kMaxCalibration, "@block_sparse_moe_nvfp4 @experts_nvfp4"},
    {"model/nvfp4_four_over_six",
     R"({"method": "mse", "fp8_scale_sweep": false, "start_multiplier": 1.0, "stop_multiplier": 1.5, "step_size": 0.5})",
     "@w4a4_nvfp4_nvfp4_four_over_six"},
    {"model/nvfp4_fp8_mha", kMaxCalibration,
     "@w4a4_nvfp4_nvfp4 -*output_quantizer @attention_qkv_fp8 transformer_blocks*bmm2_output_quantizer=fp8",
     PresetRow::Frame::only_first},
    {"model/nvfp4_mlp_only", kMaxCalibration,
     "*mlp*weight_quantizer=nvfp4 *mlp*input_quantizer=nvfp4 @mixer_mlp_nvfp4 @block_sparse_moe_nvfp4 @experts_nvfp4"},
    {"model/nvfp4_mlp_weight_only", kMaxCalibration,
     "*mlp*weight_quantizer=nvfp4_bs32 *block_sparse_moe*weight_quantizer=nvfp4_bs32"},
    {"model/nvfp4_omlp_only", kMaxCalibration,
     "*o_proj*weight_quantizer=nvfp4 *o_proj*input_quantizer=nvfp4 *mlp*weight_quantizer=nvfp4 "
     "*mlp*input_quantizer=nvfp4 @mixer_mlp_nvfp4 @block_sparse_moe_nvfp4"},
    {"model/nvfp4_svdquant", R"({"method": "svdquant", "lowrank": 32})", "@w4a4_nvfp4_nvfp4"},
    {"model/nvfp4_w4a4_weight_local_hessian", R"({"method": "local_hessian", "fp8_scale_sweep": true})",
     "*weight_quantizer=nvfp4_static *input_quantizer=nvfp4"},
    {"model/nvfp4_w4a4_weight_mse_fp8_sweep", R"({"method": "mse", "fp8_scale_sweep": true})",
     "*weight_quantizer=nvfp4_static *input_quantizer=nvfp4"},
    {"model/w4a16_nvfp4", kMaxCalibration, "@w4_nvfp4"},
    {"model/w4a8_awq_beta", R"("awq_lite")", "*weight_quantizer=int4_per_block+fp8 *input_quantizer=fp8"},
    {"model/w4a8_mxfp4_fp8", "null", "*weight_quantizer=mxfp4 *input_quantizer=fp8"},
    {"model/w4a8_nvfp4_fp8", kMaxCalibration, "*weight_quantizer=nvfp4_bs32 *input_quantizer=fp8"},
    {"kv/fp8", "", "@kv_fp8", PresetRow::Frame::none},
    {"kv/fp8_affine", "", "@kv_fp8_affine", PresetRow::Frame::none},
    {"kv/fp8_cast", "", "@kv_fp8_cast", PresetRow::Frame::none},
    {"kv/nvfp4", "", "@kv_nvfp4", PresetRow::Frame::none},
    {"kv/nvfp4_affine", "", "@kv_nvfp4_affine", PresetRow::Frame::none},
    {"kv/nvfp4_cast", "", "@kv_nvfp4_cast", PresetRow::Frame::none},
    {"kv/nvfp4_rotate", kMaxCalibration, "@kv_nvfp4_rotate", PresetRow::Frame::none},
    {"diffusers/fp8", kMaxCalibration, "@w8a8_fp8_fp8 -*output_quantizer *softmax_quantizer=fp8",
     PresetRow::Frame::only_first},
    {"diffusers/int8", kMaxCalibration, "*weight_quantizer=int8_per_channel *input_quantizer=int8 -*output_quantizer",
     PresetRow::Frame::only_first},
    {"diffusers/nvfp4", kMaxCalibration, "@w4a4_nvfp4_nvfp4 -*output_quantizer *softmax_quantizer=fp8",
     PresetRow::Frame::only_first},
    {"diffusers/nvfp4_fp8_mha", R"({"method": "svdquant", "lowrank": 32})",
     "**weight_quantizer=nvfp4 **input_quantizer=nvfp4 -*output_quantizer @attention_qkv_fp8 "
     "*bmm2_output_quantizer=fp8",
     PresetRow::Frame::only_first},
};

constexpr Constant kConstants[] = {
    {"FP8_2D_BLOCKWISE_WEIGHT_ONLY_CFG", "model/fp8_2d_blockwise_weight_only"},
    {"FP8_AFFINE_KV_CFG", "kv/fp8_affine"},
    {"FP8_DEFAULT_CFG", "model/fp8"},
    {"FP8_KV_CFG", "kv/fp8"},
    {"FP8_PER_CHANNEL_PER_TOKEN_CFG", "model/fp8_per_channel_per_token"},
    {"INT4_AWQ_CFG", "model/int4_awq"},
    {"INT4_BLOCKWISE_WEIGHT_ONLY_CFG", "model/int4_blockwise_weight_only"},
    {"INT8_DEFAULT_CFG", "model/int8"},
    {"INT8_SMOOTHQUANT_CFG", "model/int8_smoothquant"},
    {"INT8_WEIGHT_ONLY_CFG", "model/int8_weight_only"},
    {"MAMBA_MOE_FP8_AGGRESSIVE_CFG", "model/mamba_moe_fp8_aggressive"},
    {"MAMBA_MOE_FP8_CONSERVATIVE_CFG", "model/mamba_moe_fp8_conservative"},
    {"MAMBA_MOE_NVFP4_AGGRESSIVE_CFG", "model/mamba_moe_nvfp4_aggressive"},
    {"MAMBA_MOE_NVFP4_CONSERVATIVE_CFG", "model/mamba_moe_nvfp4_conservative"},
    {"MXFP4_DEFAULT_CFG", "model/mxfp4"},
    {"MXFP4_MLP_WEIGHT_ONLY_CFG", "model/mxfp4_mlp_weight_only"},
    {"MXFP6_DEFAULT_CFG", "model/mxfp6"},
    {"MXFP8_DEFAULT_CFG", "model/mxfp8"},
    {"MXINT8_DEFAULT_CFG", "model/mxint8"},
    {"NVFP4_AFFINE_KV_CFG", "kv/nvfp4_affine"},
    {"NVFP4_AWQ_CLIP_CFG", "model/nvfp4_awq_clip"},
    {"NVFP4_AWQ_FULL_CFG", "model/nvfp4_awq_full"},
    {"NVFP4_AWQ_LITE_CFG", "model/nvfp4_awq_lite"},
    {"NVFP4_DEFAULT_CFG", "model/nvfp4"},
    {"NVFP4_EXPERTS_ONLY_CFG", "model/nvfp4_experts_only"},
    {"NVFP4_FOUR_OVER_SIX_CFG", "model/nvfp4_four_over_six"},
    {"NVFP4_FP8_MHA_CONFIG", "model/nvfp4_fp8_mha"},
    {"NVFP4_KV_CFG", "kv/nvfp4"},
    {"NVFP4_KV_ROTATE_CFG", "kv/nvfp4_rotate"},
    {"NVFP4_MLP_ONLY_CFG", "model/nvfp4_mlp_only"},
    {"NVFP4_MLP_WEIGHT_ONLY_CFG", "model/nvfp4_mlp_weight_only"},
    {"NVFP4_OMLP_ONLY_CFG", "model/nvfp4_omlp_only"},
    {"NVFP4_SVDQUANT_DEFAULT_CFG", "model/nvfp4_svdquant"},
    {"NVFP4_W4A4_WEIGHT_LOCAL_HESSIAN_CFG", "model/nvfp4_w4a4_weight_local_hessian"},
    {"NVFP4_W4A4_WEIGHT_MSE_FP8_SWEEP_CFG", "model/nvfp4_w4a4_weight_mse_fp8_sweep"},
    {"W4A16_NVFP4_CFG", "model/w4a16_nvfp4"},
    {"W4A8_AWQ_BETA_CFG", "model/w4a8_awq_beta"},
    {"W4A8_MXFP4_FP8_CFG", "model/w4a8_mxfp4_fp8"},
    {"W4A8_NVFP4_FP8_CFG", "model/w4a8_nvfp4_fp8"},
};

// --- values -----------------------------------------------------------------------------------------

Value text(std::string_view content) { return {std::string(content), {}}; }

// JSON has only strings as keys; those of blocks and biases are integers.
void restore_integer_keys(Value& value) {
  auto* map = std::get_if<source::Map>(&value.data);
  if (map == nullptr) return;
  for (source::Entry& entry : *map) {
    const auto* key = entry.first.get<std::string>();
    if (key != nullptr && key->starts_with('-')) entry.first.data = source::integer_of(*key);
    restore_integer_keys(entry.second);
  }
}

Value json(std::string_view content) {
  auto read = source::read_json(content);
  auto* value = std::get_if<std::optional<Value>>(&read);
  if (value == nullptr || !*value) return {};
  Value out = std::move(**value);
  restore_integer_keys(out);
  convert_float_names(out);
  return out;
}

const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

Value attributes(std::string_view name) {
  const Row* row = find_row(kNumerics, name);
  if (row == nullptr) row = find_row(kInlineAttributes, name);
  return row == nullptr ? Value() : json(row->content);
}

std::vector<std::string_view> words_of(std::string_view content, char separator = ' ') {
  std::vector<std::string_view> out;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find(separator), content.size());
    if (end > 0) out.push_back(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return out;
}

Value cfg_of(std::string_view names) {
  const auto parts = words_of(names, '+');
  if (parts.size() == 1) return attributes(parts.front());
  source::List list;
  for (const std::string_view part : parts) list.push_back(attributes(part));
  return {std::move(list), {}};
}

Value entry_of(std::string_view word) {
  source::Map map;
  const bool off = word.starts_with('-');
  if (off) word.remove_prefix(1);
  const std::size_t equals = word.rfind('=');
  std::string_view pattern = word.substr(0, equals);
  if (const std::size_t colon = pattern.find(':'); colon != std::string_view::npos) {
    map.emplace_back(text("parent_class"), text(pattern.substr(0, colon)));
    pattern.remove_prefix(colon + 1);
  }
  map.emplace_back(text("quantizer_name"), text(pattern));
  if (equals != std::string_view::npos) map.emplace_back(text("cfg"), cfg_of(word.substr(equals + 1)));
  if (off) map.emplace_back(text("enable"), Value{false, {}});
  return {std::move(map), {}};
}

void add_entries(std::string_view words, source::List& out) {
  for (const std::string_view word : words_of(words)) {
    if (!word.starts_with('@')) {
      out.push_back(entry_of(word));
    } else if (const Row* unit = find_row(kUnits, word.substr(1))) {
      add_entries(unit->content, out);
    }
  }
}

Value list_of(std::string_view words) {
  source::List out;
  add_entries(words, out);
  return {std::move(out), {}};
}

Value model_list(const Row& row) {
  if (!row.name.starts_with("qwen3_5/")) return list_of(row.content);
  std::string words(kQwen35);
  for (std::size_t at = words.find("FORMAT"); at != std::string::npos; at = words.find("FORMAT", at)) {
    words.replace(at, 6, row.content);
  }
  return list_of(words);
}

Value preset_of(const PresetRow& row) {
  source::List entries;
  if (row.frame != PresetRow::Frame::none) add_entries("@base_disable_all", entries);
  add_entries(row.entries, entries);
  if (row.frame == PresetRow::Frame::usual) add_entries("@default_disabled_quantizers", entries);
  source::Map map;
  if (!row.algorithm.empty()) map.emplace_back(text("algorithm"), json(row.algorithm));
  map.emplace_back(text("quant_cfg"), Value{std::move(entries), {}});
  return {std::move(map), {}};
}

constexpr std::string_view kNumericsFolder = "configs/numerics/";
constexpr std::string_view kUnitsFolder = "configs/ptq/units/";
constexpr std::string_view kPresetsFolder = "configs/ptq/presets/";
constexpr std::string_view kPatternsFolder = "configs/auto_quantize/units/";
constexpr std::string_view kModelsFolder = "huggingface/";

}  // namespace

std::span<const Constant> constants() { return kConstants; }

Value preset(std::string_view name) {
  const auto* found = std::ranges::find(kPresets, name, &PresetRow::name);
  return found == std::end(kPresets) ? Value() : preset_of(*found);
}

std::string_view default_disables() { return find_row(kUnits, "default_disabled_quantizers")->content; }

std::optional<Snippet> built_in(std::string_view path) {
  const auto name_in = [&](std::string_view folder) {
    return path.starts_with(folder) ? path.substr(folder.size()) : std::string_view();
  };
  if (find_row(kNumerics, name_in(kNumericsFolder)) != nullptr) {
    return Snippet{Schema::attributes, attributes(name_in(kNumericsFolder))};
  }
  if (const Row* unit = find_row(kUnits, name_in(kUnitsFolder))) {
    return unit->name == "base_disable_all" ? Snippet{Schema::entry, entry_of(unit->content)}
                                            : Snippet{Schema::entries, list_of(unit->content)};
  }
  if (const Row* list = find_row(kModelLists, name_in(kModelsFolder))) {
    return Snippet{Schema::entries, model_list(*list)};
  }
  if (const Row* patterns = find_row(kPatternLists, name_in(kPatternsFolder))) {
    source::List out;
    for (const std::string_view word : words_of(patterns->content)) out.push_back(text(word));
    return Snippet{Schema::patterns, {std::move(out), {}}};
  }
  Value whole = preset(name_in(kPresetsFolder));
  return whole.is_null() ? std::nullopt : std::optional(Snippet{Schema::preset, std::move(whole)});
}

std::span<const std::string_view> built_in_paths() {
  static const std::vector<std::string> kTexts = [] {
    std::vector<std::string> out;
    const auto add = [&](std::string_view folder, const auto& rows) {
      for (const auto& row : rows) out.push_back(std::string(folder) + std::string(row.name));
    };
    add(kNumericsFolder, kNumerics);
    add(kUnitsFolder, kUnits);
    add(kPresetsFolder, kPresets);
    add(kPatternsFolder, kPatternLists);
    add(kModelsFolder, kModelLists);
    return out;
  }();
  static const std::vector<std::string_view> kPaths(kTexts.begin(), kTexts.end());
  return kPaths;
}

// --- names ------------------------------------------------------------------------------------------

Schema schema_of_name(std::string_view name) {
  static constexpr std::pair<std::string_view, Schema> kNames[] = {{"QuantizerAttributeConfig", Schema::attributes},
                                                                   {"QuantizerCfgEntry", Schema::entry},
                                                                   {"QuantizerCfgListConfig", Schema::entries},
                                                                   {"QuantizeConfig", Schema::preset},
                                                                   {"LayerPatternList", Schema::patterns},
                                                                   {"ModelOptAutoQuantizeRecipe", Schema::recipe},
                                                                   {"ModelOptPTQRecipe", Schema::recipe}};
  const auto* found = std::ranges::find(kNames, base::last_part(name), &std::pair<std::string_view, Schema>::first);
  return found == std::end(kNames) ? Schema::other : found->second;
}

std::optional<std::pair<std::int64_t, std::int64_t>> float_name(std::string_view text) {
  if (text.size() < 4 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  const std::size_t middle = text.find_first_of("mM");
  if (middle == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    const bool whole = !digits.empty() && base::is_digit(digits.front()) && error == std::errc();
    return whole && end == digits.data() + digits.size() ? std::optional(out) : std::nullopt;
  };
  const auto exponent = number(text.substr(1, middle - 1));
  const auto mantissa = number(text.substr(middle + 1));
  return exponent && mantissa ? std::optional(std::pair(*exponent, *mantissa)) : std::nullopt;
}

void convert_float_names(Value& value) {
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (Value& item : *list) convert_float_names(item);
    return;
  }
  auto* map = std::get_if<source::Map>(&value.data);
  if (map == nullptr) return;
  for (source::Entry& entry : *map) {
    const auto* key = entry.first.get<std::string>();
    const auto* word = entry.second.get<std::string>();
    const bool bits = key != nullptr && (*key == "num_bits" || *key == "scale_bits");
    const auto pair = bits && word != nullptr ? float_name(*word) : std::nullopt;
    if (pair) {
      const source::Span span = entry.second.span;
      entry.second.data = source::List{{pair->first, span}, {pair->second, span}};
    } else {
      convert_float_names(entry.second);
    }
  }
}

}  // namespace sparsecfg::dialect::modelopt
