#pragma once

#include <string_view>
#include <vector>

#include "dialect/llmcompressor/types.h"
#include "ir/operation.h"
#include "ir/recipe.h"
#include "model/names.h"

// The function `model_free_ptq`, which selects tensors of a checkpoint by the names of their modules.
namespace sparsecfg::dialect::llmcompressor {

// Selects every matrix if it is in `targets`.
inline constexpr std::string_view kEveryMatrix = "Linear";

// Returns true if the function can select a module: it has a weight, and its name does not end in "norm".
[[nodiscard]] bool has_candidate_weight(const model::Module& module);

// Returns the operations of a call: every candidate that no entry of `ignore` matches gets the scheme of the first
// group that matches it.
[[nodiscard]] std::vector<ir::Operation> tensor_operations(const ir::Origin& origin, const ir::Method& method);

// Returns true if an entry matches a module. Classes are not compared.
[[nodiscard]] bool takes_tensor(std::string_view entry, const model::Module& module);

}  // namespace sparsecfg::dialect::llmcompressor
