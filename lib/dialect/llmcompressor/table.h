#pragma once

#include "dialect/schemes/records.h"
#include "dialect/stages/modifier.h"

// Table of the llm-compressor modifiers and their fields.
namespace sparsecfg::dialect::llmcompressor {

using stages::Context;

// Type of a modifier, which selects the checks.
enum class ClassKind : std::uint8_t {
  quantization,
  gptq,
  auto_round,
  model_free,  // the function model_free_ptq
  sparse_gpt,
  wanda,
  reap,
  constant_pruning,
  magnitude_pruning,
  smoothing,  // SmoothQuant and logarithmic equalization
  awq,
  quip,
  spin_quant,
  opaque,  // a class of the project that is known only by name
};

// The modifiers that recipes in files can name.
[[nodiscard]] const stages::Table& table();

// The modifiers, and the functions that scripts call instead of them.
[[nodiscard]] const stages::Table& table_of_scripts();

[[nodiscard]] inline ClassKind kind_of(const Record& modifier) { return modifier.spec->kind.as<ClassKind>(); }

inline constexpr std::string_view kModelFreeName = "model_free_ptq";

// Bits of ClassSpec::flags.
enum Trait : unsigned {
  kPrepares = 1U << 0U,       // only scales or rotates weights to prepare quantization
  kNeedsData = 1U << 1U,      // requires data by default; for QuantizationModifier that depends on the scheme
  kMasksTraining = 1U << 2U,  // keeps masks during training, as the class of the same name in SparseML does
};

[[nodiscard]] inline bool has(const Record& modifier, Trait trait) { return (modifier.spec->flags & trait) != 0; }

// Returns the row of a field that was removed, or null.
[[nodiscard]] const FieldSpec* former_field(const ClassSpec& spec, std::string_view name);

// Returns true if the class had the field, but another class has it now.
[[nodiscard]] bool is_moved_field(const ClassSpec& spec, std::string_view name);

// Returns true if the class had the field until the release that added `scheme`, which sets the format since.
[[nodiscard]] bool is_former_format(const ClassSpec& spec, std::string_view name);

// Returns true for the name of a class or field that SparseML never had: only classes and fields of later releases have
// it.
[[nodiscard]] bool is_own_name(std::string_view name);

// Tables of the mappings within the fields of modifiers.

using schemes::kQuantizationArgs;
using schemes::kQuantizationScheme;
using schemes::kTransformConfig;
using schemes::torch_types;

extern const ClassSpec kAwqMapping;
extern const ClassSpec kSpinQuantMapping;
extern const ClassSpec kNormMapping;

}  // namespace sparsecfg::dialect::llmcompressor
