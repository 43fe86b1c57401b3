#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sparsecfg::dialect {

// The code that runs a recipe.
enum class Runner : std::uint8_t {
  one_shot,  // applies it to a trained model
  training,  // a trainer, or a training of Axolotl
  either,    // a recipe file of a release that also trains
  unknown,   // code of a script that is not known, or none
};

// A call of a script that runs a recipe.
struct RecipeCall {
  std::string_view name;  // the last part of its path
  Runner runner;
  bool derived = false;  // true if classes whose names only end in `name` count as well
};

// Returns the row of a call with a dotted name; null if it runs no recipe.
[[nodiscard]] const RecipeCall* find_call(std::span<const RecipeCall> calls, std::string_view path);

}  // namespace sparsecfg::dialect
