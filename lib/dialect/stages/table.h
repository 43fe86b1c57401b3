#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The modifiers of SparseML's newer recipes and their fields. Facts: reference/sparseml.md B.9.
namespace sparsecfg::dialect::stages {

// What pydantic is told a field may be; a field that may be several things has several bits.
enum class Accepts : std::uint16_t {
  anything = 0,
  real = 1,
  whole = 2,
  boolean = 4,
  text = 8,
  texts = 16,         // a list of texts
  reals = 32,         // a list of floats
  mapping = 64,       // with texts for keys
  mappings = 128,     // a list of them
  groups = 256,       // a list of lists
  layer_pairs = 512,  // a list of texts and of pairs of texts
};

[[nodiscard]] constexpr Accepts operator|(Accepts a, Accepts b) {
  return static_cast<Accepts>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

[[nodiscard]] constexpr bool allows(Accepts all, Accepts one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

struct FieldSpec {
  std::string_view name;
  Accepts accepts = Accepts::anything;
  bool required = false;
  std::string_view default_value{};  // the default, as YAML; empty where required
  bool nullable = false;
  std::string_view no_effect{};  // why the field has no effect; empty if it has
  std::string_view doc{};      // one line
};

// What a modifier means, which decides how it is lowered to the IR and which rules it follows.
enum class Meaning : std::uint8_t {
  magnitude_pruning,
  constant_pruning,
  sparse_gpt,
  wanda,
  gptq,
  quantization,
  legacy_quantization,
  smoothing,  // SmoothQuant and logarithmic equalization
  distillation,
};

struct ModifierSpec {
  std::string_view name;
  Meaning meaning;
  std::span<const FieldSpec> fields;  // besides those that all modifiers have
  std::string_view doc;

  // The row of a field, those that all modifiers have included; null where there is none.
  [[nodiscard]] const FieldSpec* find(std::string_view field) const;
};

// By name.
[[nodiscard]] std::span<const ModifierSpec> modifiers();
[[nodiscard]] const ModifierSpec* find_modifier(std::string_view name);

// The fields that every modifier has.
[[nodiscard]] std::span<const FieldSpec> common_fields();

// The words of `update_scheduler` besides `calc(...)`.
[[nodiscard]] std::span<const std::string_view> schedulers();

}  // namespace sparsecfg::dialect::stages
