#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "convert/weight_matcher.h"

namespace sparsecfg::convert {

// An action's target that masks a weight.
struct Masker {
  std::uint32_t action = 0;
  std::uint32_t target = 0;
  bool certain = true;  // false: depends on the module's type, which is unknown

  friend bool operator==(const Masker&, const Masker&) = default;
};

// Weights that are masked by the same targets in both recipes.
struct WeightClass {
  std::vector<Masker> one;  // in action order
  std::vector<Masker> other;
  std::vector<std::uint32_t> weights;  // indices, ascending
};

// Returns the cost of comparing a class of weights with these maskers at one step, in examined numbers.
[[nodiscard]] inline std::uint64_t work_per_step(const std::vector<Masker>& one, const std::vector<Masker>& other) {
  return std::max(std::size_t{1}, (one.size() + other.size()) / 2);
}

// Groups the matcher's weights by the targets that mask them, ordered by the first weight of each class. Within an
// action only the first target that matches a weight masks it. A level of 0 sets no mask, and neither do the `skipped`
// actions of `one`. Returns nullopt if the targets match more than ten million weights in total, or if the classes have
// more than half a million maskers.
[[nodiscard]] std::optional<std::vector<WeightClass>> weight_classes(const ir::Recipe& one, const ir::Recipe& other,
                                                                     const WeightMatcher& matcher,
                                                                     const std::vector<bool>& skipped = {});

}  // namespace sparsecfg::convert
