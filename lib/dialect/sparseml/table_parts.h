#pragma once

#include <span>

#include "dialect/sparseml/table.h"
#include "dialect/sparseml/table_fields.h"

// The parts that the table of modifiers is joined from.
namespace sparsecfg::dialect::sparseml {

[[nodiscard]] std::span<const ModifierSpec> training_modifiers();
[[nodiscard]] std::span<const ModifierSpec> pruning_modifiers();
[[nodiscard]] std::span<const ModifierSpec> quantization_modifiers();

}  // namespace sparsecfg::dialect::sparseml
