#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "script/forward.h"

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

// A parameter of a call. Without a name, the call has none.
struct Parameter {
  std::string_view name;
  std::size_t position = 0;
};

// A call of a script that receives a model and a configuration: `GPTQModel.load(model, config)`. Without a parameter
// for it, the call itself is the configuration: `AutoRound(model, ...)`.
struct ModelCall {
  std::string_view name;     // the last parts of its path
  std::string_view package;  // the first part of its path
  Parameter model;           // without a name, the call loads the model
  Parameter config{};
};

// Returns the row of a call. Documents leave imports out, so a path without an import needs only the name.
[[nodiscard]] const ModelCall* find_model_call(std::span<const ModelCall> calls, const script::Value& call);

// Returns the row of a call with a dotted name; null if it runs no recipe.
[[nodiscard]] const RecipeCall* find_call(std::span<const RecipeCall> calls, std::string_view path);

}  // namespace sparsecfg::dialect
