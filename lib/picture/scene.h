#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"
#include "timeline/evaluator.h"

// Represents a run as curves and bands, independently of the output format.
namespace sparsecfg::picture {

// A value that is active from an epoch on; nullopt if it is unknown or no value is active.
struct Point {
  double epoch = 0;
  std::optional<double> value;
};

// A value over time. Keeps the first, minimum, maximum and last change within each dot, so that all peaks stay visible.
struct Series {
  std::string label;    // "GMPruningModifier#2"
  std::string selects;  // selector text; empty means everything
  std::string remark;   // final state of the mask, "mask held from 20", or why the value is unknown; may be empty
  std::size_t action = 0;
  std::vector<Point> points;
  std::string set_by{};  // for rates: "StepLR#1"; may be empty

  [[nodiscard]] std::optional<double> last() const { return points.empty() ? std::nullopt : points.back().value; }

  [[nodiscard]] bool known() const;
};

// A phase of an action.
struct Band {
  std::string label;  // "quantization", "pruning"
  std::string who;    // "QuantizationModifier#3"
  std::size_t action = 0;
  double begin = 0;  // epochs
  double end = 0;
  std::size_t count = 1;  // number of actions with the same label and window

  friend bool operator==(const Band&, const Band&) = default;
};

struct Scene {
  double epochs = 0;
  std::uint64_t steps_per_epoch = 1;
  std::uint64_t steps = 0;
  std::vector<Series> sparsities;  // in the order of the recipe; pruners with the same schedule share a series
  std::optional<Series> overall;   // sparsity of all weights; nullopt if their shapes are unknown
  std::optional<Series> rate;      // learning rate of the first parameter group
  bool factors = false;            // true if rates are factors of the initial rate
  bool has_rates = true;           // false if the dialect has no learning rates
  std::vector<Band> bands;
  std::optional<double> drawn_until;  // last evaluated epoch; nullopt if the whole run was evaluated
  bool sampled = false;               // true if not all changes were evaluated
};

// Evaluates a run with a resolution of `dots` pixels.
[[nodiscard]] Scene follow(const ir::Recipe& recipe, const timeline::Run& run, std::size_t dots);

}  // namespace sparsecfg::picture
