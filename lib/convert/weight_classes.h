#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "convert/weight_matcher.h"

namespace sparsecfg::convert {

// A target of an action that masks a weight.
struct Masker {
  std::uint32_t action = 0;
  std::uint32_t target = 0;
  bool certain = true;  // false: the type of the weight's module decides, which is unknown

  friend bool operator==(const Masker&, const Masker&) = default;
};

// Weights that the same targets of two recipes mask.
struct WeightClass {
  std::vector<Masker> one;  // in the order of the recipe's actions
  std::vector<Masker> other;
  std::vector<std::uint32_t> weights;  // their places, ascending
};

// Returns how many numbers are looked at to compare a class of weights with these maskers at one step.
[[nodiscard]] inline std::uint64_t work_per_step(const std::vector<Masker>& one, const std::vector<Masker>& other) {
  return std::max(std::size_t{1}, (one.size() + other.size()) / 2);
}

// Returns the classes of the weights of the matcher that a recipe masks, in the order of their first weights. Of one
// action only the first target that matches a weight masks it, and a level of 0 masks nothing. The actions of `one`
// that are `skipped` mask nothing. Returns nullopt if the targets match more than ten million weights in all, or if the
// classes have more than half a million maskers.
[[nodiscard]] std::optional<std::vector<WeightClass>> weight_classes(const ir::Recipe& one, const ir::Recipe& other,
                                                                     const WeightMatcher& matcher,
                                                                     const std::vector<bool>& skipped = {});

}  // namespace sparsecfg::convert
