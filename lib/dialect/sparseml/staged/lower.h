#pragma once

#include <optional>
#include <vector>

#include "dialect/sparseml/staged/table.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::sparseml::staged {

// The action of a modifier. One that is not sound becomes an Opaque one.
[[nodiscard]] ir::Action lower(const Modifier& modifier);

// The last start or end of any modifier, rounded up; nothing where none is above 0.
[[nodiscard]] std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers);

}  // namespace sparsecfg::dialect::sparseml::staged
