#include "dialect/mlx/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::mlx {

using model::Module;

// A class of transformers whose experts are one module in mlx-lm.
struct ExpertsRow {
  std::string_view type;
  std::string_view name = "switch_mlp";  // of the module in mlx-lm
  bool by_columns = false;               // true if the stored weight has the shape [experts, columns, rows]
};

constexpr ExpertsRow kExperts[] = {{"Qwen2MoeExperts"},    {"Qwen3MoeExperts"}, {"Qwen3NextExperts"},
                                   {"DeepseekV2Experts"},  {"OlmoeExperts"},    {"MixtralExperts"},
                                   {"DeepseekV3NaiveMoe"}, {"Glm4MoeNaiveMoe"}, {"GptOssExperts", "experts", true}};

// Returns the row of a module, or null.
static const ExpertsRow* experts_of(const Module& module) {
  const auto* found = std::ranges::find(kExperts, module.type, &ExpertsRow::type);
  return found == std::end(kExperts) ? nullptr : found;
}

static bool has_experts(const Module& module) { return experts_of(module) != nullptr; }

bool is_quantizable(const Module& module) {
  // The routers of these classes are Linear layers in mlx-lm. Those of DeepSeek (`TopkRouter`) have a class of their
  // own.
  constexpr std::string_view kQuantizable[] = {"Linear", "Embedding", "Switch", "TopKRouter"};
  if (module.type.find("Rotary") != module.type.npos) return false;  // it has no weight
  return std::ranges::any_of(kQuantizable,
                             [&](std::string_view word) { return module.type.find(word) != module.type.npos; });
}

bool has_unknown_experts(const Module& module) {
  return !has_experts(module) && (module.type.ends_with("Experts") || module.type.ends_with("NaiveMoe"));
}

// The stored weight of gate and up has the rows of both.
static std::optional<model::Shape> shape_of_part(const Module& experts, std::string_view part, const ExpertsRow& row,
                                                 const model::ModelNames* parameters) {
  const bool down = part == "down_proj";
  const std::string stored = experts.name + (down ? ".down_proj" : ".gate_up_proj");
  const model::Shape* shape = model::shape_of(parameters, stored);
  if (shape == nullptr || shape->size() != 3) return std::nullopt;
  model::Shape out = *shape;
  if (row.by_columns) std::swap(out[1], out[2]);
  if (!down) out[1] /= 2;
  return out;
}

static void add_experts(const Module& experts, const model::ModelNames* parameters, std::vector<Module>& out) {
  const ExpertsRow& row = *experts_of(experts);
  const std::string block = fmt::format("{}.{}.", experts.name.substr(0, experts.name.rfind('.')), row.name);
  for (const std::string_view part : {"gate_proj", "up_proj", "down_proj"}) {
    out.push_back({block + std::string(part), "SwitchLinear", shape_of_part(experts, part, row, parameters)});
  }
}

std::optional<std::vector<Module>> modules_of_mlx(const std::vector<Module>& modules,
                                                  const model::ModelNames* parameters) {
  if (std::ranges::none_of(modules, has_experts)) return std::nullopt;
  std::vector<Module> out;
  for (const Module& module : modules) {
    if (has_experts(module)) {
      add_experts(module, parameters, out);
    } else {
      out.push_back(module);
    }
  }
  return out;
}

}  // namespace sparsecfg::dialect::mlx
