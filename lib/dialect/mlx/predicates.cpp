#include "dialect/mlx/predicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>

#include "base/text.h"

namespace sparsecfg::dialect::mlx {

using model::Module;

std::optional<MixedBits> bits_of_recipe(std::string_view recipe) {
  constexpr std::string_view kStart = "mixed_";
  const bool known = recipe.starts_with(kStart) && recipe.size() == kStart.size() + 3 && base::is_digit(recipe[6]) &&
                     recipe[7] == '_' && base::is_digit(recipe[8]);
  return known ? std::optional(MixedBits{recipe[6] - '0', recipe[8] - '0'}) : std::nullopt;
}

static bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

static bool is_number(std::string_view part) { return !part.empty() && std::ranges::all_of(part, base::is_digit); }

static std::int64_t number_in(std::string_view part) {
  std::int64_t out = 0;
  std::from_chars(part.data(), part.data() + part.size(), out);
  return out;
}

std::optional<Mixed> Mixed::build(MixedBits bits, bool vision, const std::vector<Module>& modules) {
  const auto first = std::ranges::find_if(modules, [](const Module& module) { return has(module.name, "down_proj"); });
  if (first == modules.end()) return std::nullopt;
  Mixed out;
  out.bits_ = bits;
  out.vision_ = vision;
  const auto parts = base::parts_of(first->name, '.');
  const auto number = std::ranges::find_if(parts, is_number);
  // Without a number, the loop ends at the last part.
  out.place_ = number == parts.end() ? parts.size() - 1 : static_cast<std::size_t>(number - parts.begin());
  std::set<std::string_view> layers;
  for (const Module& module : modules) {
    out.low_rank_ = out.low_rank_ || has(module.name, "v_a_proj") || has(module.name, "v_b_proj");
    const auto other = base::parts_of(module.name, '.');
    const bool same = other.size() > out.place_ &&
                      std::equal(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(out.place_), other.begin());
    if (same && is_number(other[out.place_])) layers.insert(other[out.place_]);
  }
  out.layers_ = static_cast<std::int64_t>(layers.size());
  return out;
}

bool Mixed::has_more_bits(std::string_view name) const {
  const auto parts = base::parts_of(name, '.');
  const std::int64_t index = parts.size() > place_ && is_number(parts[place_]) ? number_in(parts[place_]) : 0;
  const std::int64_t eighth = layers_ / 8;
  return index < eighth || index >= 7 * layers_ / 8 || (index - eighth) % 3 == 2;
}

std::int64_t Mixed::bits_for(std::string_view name) const {
  const bool value = has(name, "v_proj") || (!vision_ && (has(name, "v_a_proj") || has(name, "v_b_proj")));
  const bool edge = has(name, "lm_head") || (vision_ && has(name, "embed_tokens"));
  return edge || ((value || has(name, "down_proj")) && has_more_bits(name)) ? bits_.high : bits_.low;
}

std::string Mixed::python_condition() const {
  const std::int64_t eighth = layers_ / 8;
  const std::string layers =
      fmt::format("((layer := int(path.split(\".\")[{}])) < {} or layer >= {} or (layer - {}) % 3 == 2)", place_,
                  eighth, 7 * layers_ / 8, eighth);
  return fmt::format(R"(path.endswith("lm_head") or path.endswith(("v_proj", {}"down_proj")) and {})",
                     low_rank_ ? R"("v_a_proj", "v_b_proj", )" : "", layers);
}

// The modules that the class of a model keeps at 8 bits. The start is that of the classes of transformers.
struct RouterRow {
  std::string_view family;
  std::array<std::string_view, 2> endings;
};

constexpr RouterRow kRouters[] = {{"Qwen3Moe", {"mlp.gate"}},
                                  {"Qwen3VLMoe", {"mlp.gate"}},
                                  {"Qwen3Next", {"mlp.gate", "shared_expert_gate"}},
                                  {"Qwen3_5Moe", {"mlp.gate", "shared_expert_gate"}},
                                  {"GptOss", {"router"}},
                                  {"GraniteMoe", {"router.layer"}},
                                  {"Lfm2Moe", {"feed_forward.gate"}},
                                  {"Jamba", {"router"}},
                                  {"MiniMax", {"block_sparse_moe.gate", "mlp.gate"}},
                                  {"Gemma4", {"router.proj"}},
                                  {"Afmoe", {"router.gate"}},
                                  {"LongcatFlash", {"classifier"}}};

std::vector<std::string_view> router_endings(const std::vector<Module>& modules) {
  std::vector<std::string_view> out;
  for (const RouterRow& row : kRouters) {
    const auto is_family = [&](const Module& module) { return module.type.starts_with(row.family); };
    if (std::ranges::none_of(modules, is_family)) continue;
    std::ranges::copy_if(row.endings, std::back_inserter(out), [](std::string_view each) { return !each.empty(); });
  }
  return out;
}

bool is_multimodal(std::string_view name) {
  constexpr std::string_view kParts[] = {"visual",         "vision",         "audio",         "multi_modal_projector",
                                         "vl_connector",   "image_newline",  "img_projector", "sam_model",
                                         "code_predictor", "patch_merge_mlp"};
  return std::ranges::any_of(kParts, [&](std::string_view part) { return has(name, part); });
}

}  // namespace sparsecfg::dialect::mlx
