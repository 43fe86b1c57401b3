#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/names.h"

// Options of Sparsify Create, as data. They describe a new recipe.
namespace sparsecfg::create {

// A pruning algorithm.
struct Pruner {
  std::string_view name;                      // value of --pruning
  std::vector<std::string_view> aliases;      // other accepted names
  std::string_view modifier;                  // SparseML class; the per-layer one if there are two
  std::string_view global_modifier = {};      // SparseML class that ranks all weights together; may be empty
  bool gradual = true;                        // true if the sparsity rises from `initial_sparsity` along a cubic curve
  bool whole_epochs = false;                  // true if its epochs must be integers
  bool has_global_field = false;              // true if the modifier has a field `global_sparsity`
  bool holds = false;                         // true if it only keeps existing zeros
  std::string_view more_fields = {};          // additional YAML lines of the modifier
  std::span<const std::string_view> masks{};  // accepted mask types
  std::string_view doc = {};
};

// Returns the pruner with this name or alias, ignoring case and `/`, or null.
[[nodiscard]] const Pruner* find_pruner(std::string_view name);

// Learning-rate schedules that --lr accepts.
inline constexpr std::array<std::string_view, 6> kRates = {"linear",   "cosine",  "cyclic_linear",
                                                           "constant", "stepped", "exponential"};

// A recipe variable that --set accepts.
struct Variable {
  std::string_view name;
  std::variant<double, bool, std::string_view> default_value;
  double min = 0;  // bounds of a number, inclusive unless `open`
  double max = 0;
  bool open = false;
  std::string_view doc = {};
  std::span<const std::string_view> choices{};  // accepted values of a string variable
};

[[nodiscard]] std::span<const Variable> variables();

// Effect on the loss of pruning one parameter.
struct Sensitivity {
  std::string parameter;
  std::vector<std::pair<double, double>> scores;  // sparsity and score, sorted by sparsity
};

// Input for the generation of a recipe.
struct Choices {
  std::string pruning = "true";  // name of a pruner, `true` for magnitude or `false` for none
  bool pruning_given = false;    // true if the user chose it
  bool quantization = true;
  std::string rate = "linear";  // one of kRates
  std::string target = "none";  // vnni, tensorrt or none
  bool distillation = false;
  double epochs = 20;
  double initial_rate = 0.001;
  double final_rate = 1e-7;
  double sparsity = 0.8;
  std::optional<std::string> mask_type;  // nullopt selects the mask type that the target requires
  bool global_sparsity = true;
  double hardness = 0.5;
  double temperature = 2;
  std::vector<std::string> parameters;  // parameters to prune, from --params; empty selects every prunable one
  bool shapes_known = false;            // true if the --params file contains shapes
  double weights = 0;                   // of the whole model; 0 if a shape is unknown
  std::vector<std::pair<std::string, model::Shape>> shapes;  // shapes of `parameters`, where known
  std::vector<Sensitivity> sensitivities;                    // empty if not measured
  bool sparsity_given = false;
  bool global_given = false;
};

// Sets the variable `name`. The value is JSON or a plain word. Returns an error message for an unknown name, a wrong
// type or a number out of range, otherwise nullopt.
[[nodiscard]] std::optional<std::string> set_variable(Choices& choices, std::string_view name, std::string_view value);

// Resolves choices that depend on others: the mask type that a target requires, the sparsity of an N:M mask, the
// ranking. Returns an error message with a suggestion if the choices conflict, otherwise nullopt.
[[nodiscard]] std::optional<std::string> resolve(Choices& choices);

// Returns true if SparseML can make the mask only for linear layers. It stops at convolutions. With `block4` masks of
// M-FAC it also stops at input dimensions that are not a multiple of 4.
[[nodiscard]] bool needs_linear_layers(const Choices& choices);

// Returns a JSON Schema of the variables.
[[nodiscard]] std::string schema();

}  // namespace sparsecfg::create
