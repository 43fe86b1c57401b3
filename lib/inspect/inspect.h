#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/found_recipe.h"
#include "ir/one_shot.h"
#include "ir/recipe.h"

// Collects the settings that a training script needs before it runs a recipe. Times are in epochs where possible, so
// the number of steps per epoch is optional.
namespace sparsecfg::inspect {

// Timing and sparsities of a pruner.
struct Pruning {
  std::string action;                            // "GMPruningModifier#2"
  std::optional<double> start;                   // epochs; nullopt: the schedule counts steps
  std::optional<double> end;                     // nullopt: no end
  std::vector<double> sparsities;                // one per target; empty: depends on the weights
  std::size_t index = 0;                         // of the action
  std::vector<std::optional<double>> reached{};  // by target, at the end of the run; empty: not evaluated
};

// A phase of quantization.
struct Quantizing {
  std::string action;
  std::optional<double> start;  // epochs; nullopt: its schedule counts steps
  std::optional<double> observers_off;
  std::optional<double> batch_norm_frozen;
  std::vector<std::string> bits{};  // of each tensor, and of layers with other bit widths: "weights: 8", "conv1: 4"
};

// Parameters that are frozen for some time.
struct Freezing {
  std::string action;
  std::string selects;
  double start = 0;           // epochs
  std::optional<double> end;  // nullopt: never
};

// The size of the weights of a quantized model.
struct Storage {
  std::vector<std::string> schemes;  // "weights int4 in groups of 128: 14 layers"
  double bits_per_weight = 0;        // of all weights with known shapes; 0: no shapes
  std::uint64_t bytes = 0;
  double ratio = 0;  // of 16-bit weights to these
};

struct Facts {
  std::optional<double> epochs;        // nullopt: not set by the recipe
  std::optional<std::uint64_t> steps;  // nullopt: steps per epoch are unknown
  bool trains = true;                  // false: one-shot, applied to a trained model
  bool controls_lr = false;            // the training script must disable its own scheduler
  std::vector<Pruning> prunes;
  std::vector<Quantizing> quantizes;
  std::vector<Freezing> freezes;
  bool distills = false;
  std::vector<std::string> unknown{};     // fields of a script whose values are unknown, with the reasons
  std::optional<ir::OneShot> one_shot{};  // schemes and mappings of a recipe for a trained model
  std::optional<Storage> storage{};       // nullopt: the model is not known, or not quantized by schemes
  std::vector<std::string> needs;         // inputs that the script must provide
  std::vector<ir::Variable> defaults;     // variables with their values in the file; empty: --set changed none
  bool is_result = false;                 // true: describes a quantized model, so nothing remains to be done

  // Returns the epoch at which the first quantizer starts, or nullopt if it is absent or the schedule counts steps.
  [[nodiscard]] std::optional<double> quantizes_from() const;
};

// Collects the facts. `epochs` and `steps_per_epoch` override those of the recipe.
[[nodiscard]] Facts gather(const ir::Recipe& recipe, std::optional<double> epochs,
                           std::optional<std::size_t> steps_per_epoch);

// Returns a report with one line per fact.
[[nodiscard]] std::string text(const ir::Recipe& recipe, const Facts& facts);
// Returns the same as a JSON object (format 1).
[[nodiscard]] std::string json(const ir::Recipe& recipe, const Facts& facts, const std::string& path,
                               const std::vector<ir::FoundRecipe>& recipes);

// Returns a report of a recipe that has no schedule, because it depends on unknown values.
[[nodiscard]] std::string unknown_text(const ir::FoundRecipe& found);

// Returns the recipes of a file with several of them, or with one that is not valid, one line per recipe or as JSON.
[[nodiscard]] std::string list_text(const std::vector<ir::FoundRecipe>& recipes);
[[nodiscard]] std::string list_json(const std::vector<ir::FoundRecipe>& recipes, const std::string& path);

}  // namespace sparsecfg::inspect
