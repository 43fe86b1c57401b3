#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dialect/mlx/predicates.h"
#include "dialect/mlx/programs.h"

// Ways to other bits than those of a recipe.
namespace sparsecfg::dialect::mlx {

// A call with bits that its recipe does not have.
struct OtherBits {
  const Call& call;
  MixedBits recipe;
  std::int64_t bits = 0;
  std::int64_t group_size = 0;
  std::optional<Mixed> mixed{};  // nullopt: the model is not known
};

// Returns the end of a help line: the recipe with these bits, or a function for `convert` of mlx-lm. Empty if it is not
// known which layers shall have the bits.
[[nodiscard]] std::string advice_for_bits(const Context& context, const OtherBits& other);

}  // namespace sparsecfg::dialect::mlx
