#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "source/shape.h"

// A new recipe from a few choices: the options of Sparsify Create, as data.
namespace sparsecfg::create {

// One algorithm that prunes.
struct Pruner {
  std::string_view name;                      // what --pruning takes
  std::vector<std::string_view> aliases;      // other names that people use
  std::string_view modifier;                  // the class that SparseML knows; per layer if there are two
  std::string_view global_modifier = {};      // the class that ranks all weights together; empty: none
  bool gradual = true;                        // true if the sparsity rises from `initial_sparsity` along a cubic curve
  bool whole_epochs = false;                  // true if its epochs must be integers
  bool takes_global = false;                  // true if it has a field `global_sparsity`
  bool holds = false;                         // true if it only keeps the zeros that the weights have
  std::string_view more_fields = {};          // further lines of the modifier
  std::span<const std::string_view> masks{};  // mask types that it accepts
  std::string_view doc = {};
};

[[nodiscard]] std::span<const Pruner> pruners();

// By name or alias, letter case and `/` ignored; null for an unknown one.
[[nodiscard]] const Pruner* find_pruner(std::string_view name);

// The learning-rate schedules that --lr takes.
inline constexpr std::array<std::string_view, 6> kRates = {"linear",   "cosine",  "cyclic_linear",
                                                           "constant", "stepped", "exponential"};

// A variable of the recipe that --set takes.
struct Variable {
  std::string_view name;
  std::variant<double, bool, std::string_view> default_value;
  double min = 0;  // bounds of a number, both included unless `open`
  double max = 0;
  bool open = false;
  std::string_view doc = {};
  std::span<const std::string_view> choices{};  // of a text
};

[[nodiscard]] std::span<const Variable> variables();

// How much the loss suffers from pruning one parameter.
struct Sensitivity {
  std::string parameter;
  std::vector<std::pair<double, double>> scores;  // at sparsities, ascending
};

// What a recipe is made from.
struct Choices {
  std::string pruning = "true";  // a pruner's name, `true` for magnitude or `false` for none
  bool quantization = true;
  std::string rate = "linear";  // one of kRates
  std::string target = "none";  // vnni, tensorrt or none
  bool distillation = false;
  double epochs = 20;
  double initial_rate = 0.001;
  double final_rate = 1e-7;
  double sparsity = 0.8;
  std::optional<std::string> mask_type;  // nullopt: as the target needs it
  bool global_sparsity = true;
  double hardness = 0.5;
  double temperature = 2;
  std::vector<std::string> parameters;  // of the model, as --params gives them; empty: every prunable one
  bool shapes_known = false;            // of these parameters
  std::vector<std::pair<std::string, source::Shape>> shapes;  // of those of the parameters that have one
  std::vector<Sensitivity> sensitivities;                     // empty: not measured
  bool sparsity_given = false;
  bool global_given = false;
  bool compat = false;                  // true: the text of the generator that SparseML had
  std::vector<std::string_view> whole;  // variables whose value was written as an integer
};

// Sets the variable `name` to a value written as JSON or as a plain word. Returns why that can't be: an unknown name
// with the nearest one, a value of another type, a number out of range.
[[nodiscard]] std::optional<std::string> set_variable(Choices& choices, std::string_view name, std::string_view value);

// Resolves what depends on other choices (the mask that a target needs, the sparsity of an N:M mask, a pruner that
// can't rank all weights together). Returns why the choices can't work together and what would, or nullopt.
[[nodiscard]] std::optional<std::string> resolve(Choices& choices);

// Returns true if SparseML makes the mask of linear layers alone: at convolutions it stops, and with the `block4` of
// M-FAC at inputs that 4 does not divide too.
[[nodiscard]] bool needs_linear_layers(const Choices& choices);

// A JSON Schema of the variables.
[[nodiscard]] std::string schema();

}  // namespace sparsecfg::create
