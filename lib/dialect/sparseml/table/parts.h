#pragma once

#include <span>

#include "dialect/sparseml/table/fields.h"
#include "dialect/sparseml/table/table.h"

// The partial tables that are merged into one modifier table per framework.
namespace sparsecfg::dialect::sparseml {

[[nodiscard]] std::span<const ClassSpec> training_modifiers();
[[nodiscard]] std::span<const ClassSpec> pruning_modifiers();
[[nodiscard]] std::span<const ClassSpec> quantization_modifiers();
[[nodiscard]] std::span<const ClassSpec> tensorflow_modifiers();
[[nodiscard]] std::span<const ClassSpec> modifiers_of_2020();

// Frameworks that share a row of another table.
inline constexpr unsigned kIn2020 = flag_of(Framework::pytorch_2020);
inline constexpr unsigned kInTensorFlow = flag_of(Framework::keras) | flag_of(Framework::tensorflow);

}  // namespace sparsecfg::dialect::sparseml
