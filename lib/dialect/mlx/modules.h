#pragma once

#include <optional>
#include <vector>

#include "model/model_names.h"
#include "model/names.h"

// The modules of a model in mlx-lm.
namespace sparsecfg::dialect::mlx {

// Returns true for a class that mlx quantizes.
[[nodiscard]] bool is_quantizable(const model::Module& module);

// Returns true for experts of a class whose names in mlx-lm are not known.
[[nodiscard]] bool has_unknown_experts(const model::Module& module);

// Returns the modules with the experts of each block as mlx-lm builds them: `switch_mlp.gate_proj`,
// `switch_mlp.up_proj` and `switch_mlp.down_proj` in place of one module with parameters. nullopt if the model has no
// such module.
[[nodiscard]] std::optional<std::vector<model::Module>> modules_of_mlx(const std::vector<model::Module>& modules,
                                                                       const model::ModelNames* parameters);

}  // namespace sparsecfg::dialect::mlx
