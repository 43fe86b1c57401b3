#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"

// What a training script has to know of a recipe before it runs it. Steps per epoch are not needed: whatever epochs can
// say is said in epochs.
namespace sparsecfg::inspect {

// A pruner and what it does.
struct Pruning {
  std::string action;              // "GMPruningModifier#2"
  std::optional<double> start;     // epochs; nullopt: the schedule counts steps
  std::optional<double> end;       // nullopt: it has no end
  std::vector<double> sparsities;  // one for each target; empty: it depends on the weights
};

// A phase of quantization.
struct Quantizing {
  std::string action;
  std::optional<double> start;  // epochs; nullopt: its schedule counts steps
  std::optional<double> observers_off;
  std::optional<double> batch_norm_frozen;
};

// Parameters that are not trained for a time.
struct Freezing {
  std::string action;
  std::string selects;
  double start = 0;           // epochs
  std::optional<double> end;  // nullopt: never
};

struct Facts {
  std::optional<double> epochs;        // nullopt: the recipe does not say how long to train
  std::optional<std::uint64_t> steps;  // nullopt: unknown without the steps of an epoch
  bool trains = true;                  // false: it is applied to a trained model
  bool controls_lr = false;            // the training script's own scheduler has to be switched off
  std::vector<Pruning> prunes;
  std::vector<Quantizing> quantizes;
  std::vector<Freezing> freezes;
  bool distills = false;
  std::vector<std::string> needs;      // what the script has to bring
  std::vector<ir::Variable> defaults;  // the variables as the file has them; empty: none was set to another value

  // Epoch of the first quantizer's start; nullopt: nothing is quantized, or steps are counted.
  [[nodiscard]] std::optional<double> quantizes_from() const;
};

[[nodiscard]] Facts gather(const ir::Recipe& recipe, std::optional<double> epochs,
                           std::optional<std::size_t> steps_per_epoch);

// For people, one line for each question.
[[nodiscard]] std::string text(const ir::Recipe& recipe, const Facts& facts);
// The same as a JSON object, format 1.
[[nodiscard]] std::string json(const ir::Recipe& recipe, const Facts& facts, const std::string& path);

}  // namespace sparsecfg::inspect
