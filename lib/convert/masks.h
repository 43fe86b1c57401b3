#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "convert/weight_classes.h"
#include "timeline/evaluator.h"

namespace sparsecfg::convert {

// Tracks the masks that the actions of one run have set so far.
class Masks {
 public:
  // Both arguments must outlive this object.
  Masks(const ir::Recipe& recipe, const timeline::Evaluator& evaluator);

  // Records the events of the evaluator's current step.
  void follow();

  // Returns the sparsity of a weight that these targets mask, combined by the recipe's Overlap rule. Returns nullopt if
  // it depends on the values of the weights.
  [[nodiscard]] std::optional<double> sparsity_of(std::span<const Masker> maskers) const;

  // Returns the largest sparsity of a weight that keeps the masks of all these targets. It exceeds sparsity_of() if
  // they remove different structures or rank by different criteria, because they may then remove different elements.
  [[nodiscard]] double most_of(std::span<const Masker> maskers) const;

 private:
  struct Progress {
    std::uint64_t last = 0;  // number of its last event; 0: none yet
    bool removed = false;    // true if its mask was removed
  };

  [[nodiscard]] std::optional<double> value_of(const Masker& masker) const;

  const ir::Recipe& recipe_;
  const timeline::Evaluator& evaluator_;
  std::vector<std::vector<const timeline::Column*>> columns_;  // by action and target; null: none
  std::vector<Progress> progress_;                             // by action
  std::uint64_t events_ = 0;
};

// Returns the number of elements or structures of a weight that can be removed. Returns nullopt if its shape is unknown
// or lacks such structures.
[[nodiscard]] std::optional<std::uint64_t> units_of(const ir::Structure& structure, const model::Shape* shape);

// Returns how many of `units` elements or structures a sparsity removes.
[[nodiscard]] std::uint64_t removed_of(double sparsity, std::uint64_t units, ir::Rounding rounding);

}  // namespace sparsecfg::convert
