#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dialect/dialect.h"
#include "model/names.h"

// Generates recipes for trained models from a scheme and the modules of a model.
namespace sparsecfg::create {

// Input for a recipe that is applied once to a trained model.
struct OneShotChoices {
  std::string scheme = "W4A16";        // name of a preset or method, in any case; empty: see `method`
  std::string method{};                // "gptq", "awq" ...; empty: by the scheme; both: no quantization
  std::int64_t group_size = 0;         // of weights; 0: that of the preset, or one that divides
  std::optional<double> sparsity{};    // pruned first; nullopt: no pruning
  std::string mask_structure = "0:0";  // "2:4", or "0:0" for single weights
  std::string model{};                 // path or id for the script; empty: a placeholder
  const std::vector<model::Module>* modules = nullptr;  // null: unknown
};

struct OneShotRecipe {
  std::string text;
  std::string script;                 // the same as a Python script that calls `oneshot`
  std::vector<std::string> ignored;   // entries of `ignore`
  std::vector<std::string> unpruned;  // those of the pruner
  std::vector<std::string> notes;     // what the user should know: which layers stay unquantized, and why
  bool needs_data = false;
  bool has_other_inputs = false;  // true if the model also processes images or audio
};

// Returns the names of the methods.
[[nodiscard]] std::vector<std::string> method_names();

// Returns a recipe that quantizes all linear layers except output heads, routers of experts, the parts of a model that
// do not process text, layers outside of the repeated blocks, and layers whose columns the groups do not divide.
// Returns an error message for an unknown scheme, or if no layer would be quantized.
[[nodiscard]] std::variant<OneShotRecipe, std::string> one_shot_recipe(const OneShotChoices& choices);

// A recipe of another system, or the reason why it can't be written.
struct QuantizerRecipe {
  std::string text;   // empty if it can't be written
  std::string error;  // empty if it is written
};

// Returns a recipe of another system that quantizes its usual layers with a preset scheme. The dialect must have a back
// end that creates recipes.
[[nodiscard]] QuantizerRecipe quantizer_recipe(const std::string& scheme, const dialect::Dialect& to);

}  // namespace sparsecfg::create
