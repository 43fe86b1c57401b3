#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/recipe.h"
#include "timeline/evaluator.h"

// A run as curves and bands, for those who draw it.
namespace sparsecfg::picture {

// From an epoch on a value is in force; nothing: none is known, or none is in force.
struct Point {
  double epoch = 0;
  std::optional<double> value;
};

// A value over time. Of the changes within one dot of the picture the first, the least, the greatest and the last are
// there, so that no peak is lost.
struct Series {
  std::string label;    // "GMPruningModifier#2"
  std::string selects;  // what it acts on; empty: everything
  std::string remark;   // what became of the mask, "held from 20", or why there is no number; may be empty
  std::size_t action = 0;
  std::vector<Point> points;

  [[nodiscard]] std::optional<double> last() const { return points.empty() ? std::nullopt : points.back().value; }

  [[nodiscard]] bool known() const;
};

// A phase in which something is done that has no curve.
struct Band {
  std::string label;  // "quantization"
  std::string who;    // "QuantizationModifier#3"
  std::size_t action = 0;
  double begin = 0;  // epochs
  double end = 0;
  std::size_t count = 1;  // actions that do the same in the same time

  friend bool operator==(const Band&, const Band&) = default;
};

struct Scene {
  double epochs = 0;
  std::uint64_t steps_per_epoch = 1;
  std::uint64_t steps = 0;
  std::vector<Series> sparsities;  // in the order of the recipe; what has the same schedule is one of them
  std::optional<Series> overall;   // all weights together, where their shapes are known
  std::optional<Series> rate;      // of the first parameter group
  bool factors = false;            // the rates are factors of the trainer's
  bool has_rates = true;           // false: files of its kind hold none
  std::vector<Band> bands;
  std::optional<double> drawn_until;  // in epochs; nullopt: the whole run was followed
  bool sampled = false;               // true if not all changes were followed
};

// Follows a run with a resolution of `dots` dots.
[[nodiscard]] Scene follow(const ir::Recipe& recipe, const timeline::Run& run, std::size_t dots);

}  // namespace sparsecfg::picture
