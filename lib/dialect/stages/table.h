#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/timed.h"

// Tables of the modifiers in stage recipes, which nest `...Modifier` mappings in `y_modifiers` in `x_stage`. The last
// SparseML releases and llm-compressor read such files, each with its own table.
namespace sparsecfg::dialect::stages {

// Suffixes of stage keys, group keys and class names.
inline constexpr std::string_view kStageEnd = "_stage";
inline constexpr std::string_view kGroupEnd = "_modifiers";
inline constexpr std::string_view kModifierEnd = "Modifier";

// The types that a pydantic field is declared with. A union of types has several bits.
enum class Accepts : std::uint16_t {
  anything = 0,
  real = 1,
  whole = 2,
  boolean = 4,
  text = 8,
  texts = 16,             // a list of strings
  reals = 32,             // a list of floats
  mapping = 64,           // with string keys
  mappings = 128,         // a list of such mappings
  groups = 256,           // a list of lists
  layer_pairs = 512,      // a list of strings or pairs of strings
  choice = 1024,          // one of `choices`
  choices = 2048,         // a list of such choices
  record = 4096,          // a mapping with the fields of `record`
  records = 8192,         // a list of such mappings
  named_records = 16384,  // a mapping from names to such mappings
  exact_boolean = 32768,  // true, false, 0 or 1, but no string
};

[[nodiscard]] constexpr Accepts operator|(Accepts a, Accepts b) {
  return static_cast<Accepts>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

[[nodiscard]] constexpr bool allows(Accepts all, Accepts one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

struct RecordSpec;

struct FieldSpec {
  std::string_view name;
  Accepts accepts = Accepts::anything;
  bool required = false;
  std::string_view default_value{};  // the default, as YAML; empty if required
  bool nullable = false;
  std::span<const std::string_view> choices{};
  bool any_case = false;               // true if choices are case-insensitive
  const RecordSpec* record = nullptr;  // for record, records and named_records
  std::string_view no_effect{};        // the reason if the field has no effect, else empty
  std::string_view doc{};              // one line
  Unit unit = Unit::none;              // of a time or duration
};

// A mapping within a field.
struct RecordSpec {
  std::string_view name;  // class name
  std::span<const FieldSpec> fields;
  bool open = false;  // true if other keys are silently ignored
};

struct ModifierSpec {
  std::string_view name;
  std::uint8_t meaning = 0;           // a value of the dialect's own enumeration
  std::span<const FieldSpec> fields;  // without those that all modifiers have
  std::string_view doc;
};

struct Modifier;
struct Field;
struct Reading;

// A field that was renamed.
struct Renamed {
  std::string_view before;
  std::string_view now;
};

// The modifiers that one framework accepts.
struct Table {
  std::string_view framework;               // "SparseML"
  std::span<const ModifierSpec> modifiers;  // sorted by name
  std::span<const FieldSpec> common;        // fields of every modifier
  std::span<const Renamed> renamed;
  std::string_view unknown_modifier_help;  // if no modifier has a similar name
  std::string_view unknown_field_help;
  // Reports an unknown field with a specific message. Returns false if the generic message applies. May be null.
  bool (*report_unknown)(const Reading&, const Modifier&, const Field&) = nullptr;

  // Returns null for an unknown modifier.
  [[nodiscard]] const ModifierSpec* find(std::string_view modifier) const;
  // Returns the row of a field, including the fields that all modifiers have. Returns null for an unknown field.
  [[nodiscard]] const FieldSpec* find(const ModifierSpec& modifier, std::string_view field) const;
};

}  // namespace sparsecfg::dialect::stages
