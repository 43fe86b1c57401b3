#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/options.h"
#include "dialect/spec.h"

namespace sparsecfg::dialect::sparseml {

// What a modifier means, which decides how it is lowered to the IR and which rules it follows.
enum class Meaning : std::uint8_t {
  epoch_range,
  set_learning_rate,
  learning_rate_function,
  learning_rate,
  set_weight_decay,
  gradual_pruning,  // one ramp of sparsity, whatever ranks the weights
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
  other,  // known, kept whole, without effect on what the IR computes
};

struct ModifierSpec {
  std::string_view name;
  Meaning meaning;
  EndRule end;
  std::span<const FieldSpec> fields;
  std::string_view doc;
  std::span<const Framework> inherited_by{};  // the readers besides its own that have the same row

  [[nodiscard]] const FieldSpec* find(std::string_view field) const;
};

// The tags that a reader knows, by name. A tag that stands for several classes has a row for each,
// the usual one first: QuantizationModifier (reference B.6), GradualKSModifier (reference G).
[[nodiscard]] std::span<const ModifierSpec> modifiers(Framework framework);

// The rows of a tag without its `!`, none where the reader does not know it; and the first of them.
[[nodiscard]] std::span<const ModifierSpec> find_modifiers(Framework framework, std::string_view name);
[[nodiscard]] const ModifierSpec* find_modifier(Framework framework, std::string_view name);

// "PyTorch", as it is called in messages.
[[nodiscard]] std::string_view name_of(Framework framework);

// Keras and TensorFlow 1 share their modifiers and most rules (reference B.8).
[[nodiscard]] constexpr bool is_tensorflow(Framework framework) {
  return framework == Framework::keras || framework == Framework::tensorflow;
}

// The keys that each `lr_class` needs in `lr_kwargs`, and those that torch takes besides.
struct SchedulerSpec {
  std::string_view name;
  std::span<const std::string_view> required;
  std::span<const std::string_view> optional;
};

[[nodiscard]] std::span<const SchedulerSpec> schedulers();
[[nodiscard]] const SchedulerSpec* find_scheduler(std::string_view name);

}  // namespace sparsecfg::dialect::sparseml
