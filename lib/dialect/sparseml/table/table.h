#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/spec.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// SparseML's readers. Each knows modifiers of its own and checks the same one by other rules.
enum class Framework : std::uint8_t {
  pytorch,
  keras,
  tensorflow,    // TensorFlow 1
  pytorch_2020,  // the releases of 2020, detected by a tag that only they know; nobody asks for it
};

inline constexpr std::string_view kFrameworkNames[] = {"pytorch", "keras", "tensorflow"};
inline constexpr ReaderOption kFrameworkOption{"framework", "Which of SparseML's readers loads the recipe",
                                               kFrameworkNames};

// Returns the reader that was asked for.
[[nodiscard]] inline Framework framework_of(const ReadOptions& options) {
  return static_cast<Framework>(options.choice(kFrameworkOption));
}

// What a modifier means, which decides how it is lowered to the IR and which rules it follows.
enum class Meaning : std::uint8_t {
  epoch_range,
  set_learning_rate,
  learning_rate_function,
  learning_rate,
  set_weight_decay,
  gradual_pruning,  // one ramp of sparsity, for any criterion
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

// The values of `lr_kwargs` that give times.
[[nodiscard]] std::span<const TimedField> times_of_scheduler(std::string_view name);

// A JSON Schema (draft 7) of a reader's recipes, made from the table, with a line feed at its end.
// It refuses nothing that the framework takes, and can't see all that the framework refuses: to an
// editor a tag is gone, so an item of a list of modifiers fits if it fits any modifier. A mapping
// with the tag as its one key, which is what SparseML itself makes of it, fits that modifier alone.
[[nodiscard]] std::string schema(Framework framework);

// A quantization scheme as both kinds of SparseML's recipes take it (reference/sparseml.md B.6):
// null, a word or a mapping. Reports what is refused, and keys that are silently dropped.
void check_scheme(const source::Value& scheme, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
