#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/record/spec.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// The SparseML readers. Each has its own set of modifiers and its own rules for modifiers of the same name.
enum class Framework : std::uint8_t {
  pytorch,
  keras,
  tensorflow,    // TensorFlow 1
  pytorch_2020,  // releases of 2020; detected by a tag that only they accept, cannot be requested
};

inline constexpr std::string_view kFrameworkNames[] = {"pytorch", "keras", "tensorflow"};
inline constexpr ReaderOption kFrameworkOption{"framework", "SparseML reader that loads the recipe", kFrameworkNames};

// Returns the reader requested by `--framework`.
[[nodiscard]] inline Framework framework_of(const ReadOptions& options) {
  return static_cast<Framework>(options.choice(kFrameworkOption));
}

// Kind of a modifier. Decides how it is lowered to the IR and which rules apply to it.
enum class ClassKind : std::uint8_t {
  epoch_range,
  set_learning_rate,
  learning_rate_function,
  learning_rate,
  set_weight_decay,
  gradual_pruning,  // one sparsity ramp, with any pruning criterion
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
  other,  // known and kept unchanged; no effect on the computed schedule
};

// The flag of a class that another reader has as well.
[[nodiscard]] constexpr unsigned flag_of(Framework framework) { return 1U << static_cast<unsigned>(framework); }

// Returns true if a reader has the class from PyTorch.
[[nodiscard]] constexpr bool inherits(Framework framework, const ClassSpec& spec) {
  return (spec.flags & flag_of(framework)) != 0;
}

// Returns the modifiers that a reader accepts, sorted by name. A tag shared by several classes has one row for each,
// the most common one first: QuantizationModifier (docs/semantics/sparseml.md#b6), GradualKSModifier (#g1-1).
[[nodiscard]] std::span<const ClassSpec> modifiers(Framework framework);

// Returns all rows of a tag, given without its `!`. Empty if the reader does not accept the tag.
[[nodiscard]] std::span<const ClassSpec> find_modifiers(Framework framework, std::string_view name);
// Returns the first of these rows, or null.
[[nodiscard]] const ClassSpec* find_modifier(Framework framework, std::string_view name);

// Returns the name used in messages, such as "PyTorch".
[[nodiscard]] std::string_view name_of(Framework framework);

// Keras and TensorFlow 1 share their modifiers and most rules (docs/semantics/sparseml.md#b8).
[[nodiscard]] constexpr bool is_tensorflow(Framework framework) {
  return framework == Framework::keras || framework == Framework::tensorflow;
}

// The keys that an `lr_class` requires in `lr_kwargs`, and the other keys that PyTorch accepts.
struct SchedulerSpec {
  std::string_view name;
  std::span<const std::string_view> required;
  std::span<const std::string_view> optional;
};

[[nodiscard]] std::span<const SchedulerSpec> schedulers();
[[nodiscard]] const SchedulerSpec* find_scheduler(std::string_view name);

// Returns the keys of `lr_kwargs` that hold times.
[[nodiscard]] std::span<const TimedField> times_of_scheduler(std::string_view name);

// Returns a JSON Schema (draft 7) of the recipes of a reader, generated from the table, with a final line feed.
// The schema accepts everything that the framework accepts, but also some recipes that it rejects: editors drop the
// tags, so an item of a modifier list is valid if it matches any modifier. A mapping whose only key is the tag, which
// is the representation inside SparseML, is checked against that modifier only.
[[nodiscard]] std::string schema(Framework framework);

// Checks a quantization scheme of either kind of SparseML recipe (docs/semantics/sparseml.md#b6-6): null, a name or a
// mapping. Reports invalid values and keys that are silently dropped.
void check_scheme(const source::Value& scheme, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
