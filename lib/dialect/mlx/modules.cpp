#include "dialect/mlx/modules.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sparsecfg::dialect::mlx {

using model::Module;

// Classes of transformers whose experts are `switch_mlp` in mlx-lm.
constexpr std::string_view kSwitched[] = {"Qwen2MoeExperts",    "Qwen3MoeExperts", "Qwen3NextExperts",
                                          "DeepseekV2Experts",  "OlmoeExperts",    "MixtralExperts",
                                          "DeepseekV3NaiveMoe", "Glm4MoeNaiveMoe"};

static bool has_experts(const Module& module) { return base::contains(kSwitched, module.type); }

// The stored weight of the experts has the shape [experts, rows, columns]; that of gate and up has both.
static std::optional<model::Shape> shape_of_part(const Module& experts, std::string_view part,
                                                 const model::ModelNames* parameters) {
  const bool down = part == "down_proj";
  const std::string stored = experts.name + (down ? ".down_proj" : ".gate_up_proj");
  const model::Shape* shape = model::shape_of(parameters, stored);
  if (shape == nullptr || shape->size() != 3) return std::nullopt;
  model::Shape out = *shape;
  if (!down) out[1] /= 2;
  return out;
}

static void add_experts(const Module& experts, const model::ModelNames* parameters, std::vector<Module>& out) {
  const std::string block = experts.name.substr(0, experts.name.rfind('.'));
  for (const std::string_view part : {"gate_proj", "up_proj", "down_proj"}) {
    out.push_back(
        {block + ".switch_mlp." + std::string(part), "SwitchLinear", shape_of_part(experts, part, parameters)});
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
