#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml {

// Computes the training length of a recipe: max_epochs in SparseML is the largest epoch in any field, rounded up
// (docs/semantics/sparseml.md#a8). The result points at the field with the largest epoch, the first one in case of a
// tie.
class LastEpoch {
 public:
  // Ignores epochs up to and including `above`.
  explicit LastEpoch(double above) : last_(above) {}

  void note(double epoch, source::Span field, std::size_t action) {
    if (epoch > last_) {
      last_ = epoch;
      length_ = ir::TrainingLength{std::ceil(epoch), field, action};
    }
  }

  // Returns nullopt if no epoch is above the limit.
  [[nodiscard]] const std::optional<ir::TrainingLength>& length() const { return length_; }

 private:
  double last_;
  std::optional<ir::TrainingLength> length_;
};

}  // namespace sparsecfg::dialect::sparseml
