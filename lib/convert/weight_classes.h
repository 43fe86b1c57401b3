#pragma once

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

// Returns the classes of the weights that a recipe masks, in the order of their first weights. Of one action only the
// first target that takes a weight masks it, and a level of 0 masks nothing. The actions of `one` that are
// `skipped` mask nothing. Returns nullopt if the targets take more than ten million weights in all, or if the classes
// have more than half a million maskers.
[[nodiscard]] std::optional<std::vector<WeightClass>> weight_classes(const ir::Recipe& one, const ir::Recipe& other,
                                                                     const WeightMatcher& matcher, std::size_t weights,
                                                                     const std::vector<bool>& skipped = {});

}  // namespace sparsecfg::convert
