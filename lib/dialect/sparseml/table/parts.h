#pragma once

#include <span>

#include "dialect/sparseml/table/fields.h"
#include "dialect/sparseml/table/table.h"

// The partial tables that are merged into one modifier table per framework.
namespace sparsecfg::dialect::sparseml {

[[nodiscard]] std::span<const ModifierSpec> training_modifiers();
[[nodiscard]] std::span<const ModifierSpec> pruning_modifiers();
[[nodiscard]] std::span<const ModifierSpec> quantization_modifiers();
[[nodiscard]] std::span<const ModifierSpec> tensorflow_modifiers();
[[nodiscard]] std::span<const ModifierSpec> modifiers_of_2020();

// Frameworks that share a row of another table.
inline constexpr Framework kIn2020[] = {Framework::pytorch_2020};
inline constexpr Framework kInTensorFlow[] = {Framework::keras, Framework::tensorflow};

}  // namespace sparsecfg::dialect::sparseml
