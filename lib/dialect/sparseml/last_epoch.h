#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml {

// How long a recipe trains: SparseML's max_epochs is the largest of its epochs, rounded up (reference/sparseml.md A.9).
// Of several that are rounded up to the same number the largest one says so, and of equal ones the first.
class LastEpoch {
 public:
  // Epochs up to `above` do not count.
  explicit LastEpoch(double above) : last_(above) {}

  void note(double epoch, source::Span field, std::size_t action) {
    if (epoch > last_) {
      last_ = epoch;
      length_ = ir::TrainingLength{std::ceil(epoch), field, action};
    }
  }

  // Nullopt if no epoch counts.
  [[nodiscard]] const std::optional<ir::TrainingLength>& length() const { return length_; }

 private:
  double last_;
  std::optional<ir::TrainingLength> length_;
};

}  // namespace sparsecfg::dialect::sparseml
