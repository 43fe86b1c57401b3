#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "convert/weight_classes.h"
#include "timeline/evaluator.h"

namespace sparsecfg::convert {

// The masks that the actions of one run have made so far.
class Masks {
 public:
  // Both must outlive it.
  Masks(const ir::Recipe& recipe, const timeline::Evaluator& evaluator);

  // Takes in what happened at the step that the evaluator has moved to.
  void follow();

  // The sparsity of a weight that these targets mask, as the recipe's Overlap says; nullopt if it depends on the
  // weights.
  [[nodiscard]] std::optional<double> sparsity_of(std::span<const Masker> maskers) const;

 private:
  struct Progress {
    std::uint64_t last = 0;  // when it acted last, counted in events; 0: not yet
    bool removed = false;    // true if its mask was taken away
  };

  [[nodiscard]] std::optional<double> value_of(const Masker& masker) const;

  const ir::Recipe& recipe_;
  const timeline::Evaluator& evaluator_;
  std::vector<std::vector<const timeline::Column*>> columns_;  // by action and target; null: none
  std::vector<Progress> progress_;                             // by action
  std::uint64_t events_ = 0;
};

// How many elements of a weight can be removed, one by one or as structures. Returns nullopt if its shape is unknown or
// has no such structures.
[[nodiscard]] std::optional<std::uint64_t> units_of(const ir::Structure& structure, const source::Shape* shape);

// How many of `units` elements a sparsity removes.
[[nodiscard]] std::uint64_t removed_of(double sparsity, std::uint64_t units, ir::Rounding rounding);

}  // namespace sparsecfg::convert
