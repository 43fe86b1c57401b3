#pragma once

#include "dialect/schemes/records.h"
#include "dialect/stages/modifier.h"

// Table of the llm-compressor modifiers and their fields.
namespace sparsecfg::dialect::llmcompressor {

using stages::Modifier;
using stages::Reading;

// Type of a modifier, which selects the checks.
enum class Meaning : std::uint8_t {
  quantization,
  gptq,
  auto_round,
  sparse_gpt,
  wanda,
  reap,
  constant_pruning,
  magnitude_pruning,
  opaque,     // a class of the project that is known only by name
  smoothing,  // SmoothQuant and logarithmic equalization
  awq,
  quip,
  spin_quant,
};

[[nodiscard]] const stages::Table& table();

[[nodiscard]] inline Meaning meaning_of(const Modifier& modifier) { return modifier.spec->meaning.as<Meaning>(); }

// Returns true if the modifier sets schemes of layers.
[[nodiscard]] constexpr bool quantizes(Meaning meaning) { return meaning <= Meaning::auto_round; }

// Returns true for a one-shot pruner with `targets` and `ignore`.
[[nodiscard]] constexpr bool prunes_layers(Meaning meaning) {
  return meaning == Meaning::sparse_gpt || meaning == Meaning::wanda;
}

// Returns true if the modifier only scales or rotates weights to prepare quantization.
[[nodiscard]] constexpr bool transforms(Meaning meaning) { return meaning >= Meaning::smoothing; }

// Returns true if the class requires data by default. For QuantizationModifier that depends on the scheme.
[[nodiscard]] constexpr bool needs_data(Meaning meaning) {
  return meaning == Meaning::gptq || meaning == Meaning::auto_round || prunes_layers(meaning) ||
         meaning == Meaning::reap || meaning == Meaning::smoothing || meaning == Meaning::awq;
}

// Tables of the mappings within the fields of modifiers.

using schemes::kQuantizationArgs;
using schemes::kQuantizationScheme;
using schemes::kTransformConfig;
using schemes::torch_types;

extern const ClassSpec kAwqMapping;
extern const ClassSpec kSpinQuantMapping;
extern const ClassSpec kNormMapping;

}  // namespace sparsecfg::dialect::llmcompressor
