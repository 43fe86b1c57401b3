#pragma once

#include "dialect/stages/modifier.h"

// The modifiers of llm-compressor and their fields.
namespace sparsecfg::dialect::llmcompressor {

using stages::Accepts;
using stages::Field;
using stages::FieldSpec;
using stages::Modifier;
using stages::ModifierSpec;
using stages::Reading;
using stages::RecordSpec;

// What a modifier is, which decides by which rules it is judged.
enum class Meaning : std::uint8_t {
  quantization,
  gptq,
  auto_round,
  sparse_gpt,
  wanda,
  reap,
  constant_pruning,
  magnitude_pruning,
  smoothing,  // SmoothQuant and logarithmic equalization
  awq,
  quip,
  spin_quant,
};

[[nodiscard]] const stages::Table& table();

[[nodiscard]] inline Meaning meaning_of(const Modifier& modifier) {
  return static_cast<Meaning>(modifier.spec->meaning);
}

// Returns true if it gives schemes to layers.
[[nodiscard]] constexpr bool quantizes(Meaning meaning) { return meaning <= Meaning::auto_round; }

// Returns true if it removes weights in one shot by `targets` and `ignore`.
[[nodiscard]] constexpr bool prunes_layers(Meaning meaning) {
  return meaning == Meaning::sparse_gpt || meaning == Meaning::wanda;
}

// Returns true if it only scales or turns weights, so that they can be quantized better.
[[nodiscard]] constexpr bool transforms(Meaning meaning) { return meaning >= Meaning::smoothing; }

// Returns true if the class looks at data unless a recipe says otherwise; of QuantizationModifier its schemes decide.
[[nodiscard]] constexpr bool needs_data(Meaning meaning) {
  return meaning == Meaning::gptq || meaning == Meaning::auto_round || prunes_layers(meaning) ||
         meaning == Meaning::reap || meaning == Meaning::smoothing || meaning == Meaning::awq;
}

// Fields that quantization modifiers have, AWQModifier before 0.11 among them.
[[nodiscard]] std::span<const FieldSpec> quantization_fields();

// Mappings within fields.
[[nodiscard]] const RecordSpec& quantization_args();
[[nodiscard]] const RecordSpec& quantization_scheme();

}  // namespace sparsecfg::dialect::llmcompressor
