#pragma once

#include "dialect/stages/modifier.h"

// The modifiers of SparseML stage recipes and their fields.
namespace sparsecfg::dialect::sparseml::staged {

using stages::Context;
using stages::Modifier;
using stages::ModifierNode;

// Kind of a modifier. Decides how it is lowered to the IR and which rules apply to it.
enum class ClassKind : std::uint8_t {
  magnitude_pruning,
  constant_pruning,
  sparse_gpt,
  wanda,
  gptq,
  quantization,
  legacy_quantization,
  smoothing,  // SmoothQuant and logarithmic equalization
  distillation,
  opaque,  // a class of the project that is known only by name
};

[[nodiscard]] const stages::Table& table();

[[nodiscard]] inline ClassKind kind_of(const Modifier& modifier) { return modifier.spec->kind.as<ClassKind>(); }

// Returns the values that `update_scheduler` accepts, except `calc(...)`.
[[nodiscard]] std::span<const std::string_view> schedulers();

}  // namespace sparsecfg::dialect::sparseml::staged
