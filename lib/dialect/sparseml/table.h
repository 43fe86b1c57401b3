#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/spec.h"

namespace sparsecfg::dialect::sparseml {

// What a modifier means, which decides how it is lowered to the IR and which rules it follows.
enum class Meaning : std::uint8_t {
  epoch_range,
  set_learning_rate,
  learning_rate_function,
  learning_rate,
  set_weight_decay,
  gradual_pruning,    // one ramp of sparsity, whatever ranks the weights
  acdc,
  topkast,
  rigl,
  constant_pruning,
  trainable,
  set_param,
  gradual_param,
  quantization,
  legacy_quantization,
  distillation,
  other,              // known, kept whole, without effect on what the IR computes
};

struct ModifierSpec {
  std::string_view name;
  Meaning meaning;
  EndRule end;
  std::span<const FieldSpec> fields;
  std::string_view doc;

  [[nodiscard]] const FieldSpec* find(std::string_view field) const;
};

// The tags that SparseML's PyTorch reader knows, by name; QuantizationModifier has two rows, the
// scheme class before the legacy class (reference B.6).
[[nodiscard]] std::span<const ModifierSpec> modifiers();

// The row of a tag without its `!`; for QuantizationModifier that of the scheme class.
[[nodiscard]] const ModifierSpec* find_modifier(std::string_view name);
[[nodiscard]] const ModifierSpec& legacy_quantization();

// The keys that each `lr_class` needs in `lr_kwargs`, and those that torch takes besides.
struct SchedulerSpec {
  std::string_view name;
  std::span<const std::string_view> required;
  std::span<const std::string_view> optional;
};
[[nodiscard]] std::span<const SchedulerSpec> schedulers();
[[nodiscard]] const SchedulerSpec* find_scheduler(std::string_view name);

}  // namespace sparsecfg::dialect::sparseml
