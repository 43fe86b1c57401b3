#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/timed.h"

// What a table says about the modifiers of recipes that are written as stages: `x_stage`, in it `y_modifiers`, in it
// `...Modifier` and its fields. SparseML's last releases and llm-compressor read such files, each by its own table.
namespace sparsecfg::dialect::stages {

// How the keys of stages and groups and the names of classes end.
inline constexpr std::string_view kStageEnd = "_stage";
inline constexpr std::string_view kGroupEnd = "_modifiers";
inline constexpr std::string_view kModifierEnd = "Modifier";

// What pydantic is told a field may be; a field that may be several things has several bits.
enum class Accepts : std::uint16_t {
  anything = 0,
  real = 1,
  whole = 2,
  boolean = 4,
  text = 8,
  texts = 16,             // a list of texts
  reals = 32,             // a list of floats
  mapping = 64,           // with texts for keys
  mappings = 128,         // a list of them
  groups = 256,           // a list of lists
  layer_pairs = 512,      // a list of texts and of pairs of texts
  choice = 1024,          // one of `choices`
  choices = 2048,         // a list of them
  record = 4096,          // a mapping with the fields of `record`
  records = 8192,         // a list of such mappings
  named_records = 16384,  // a mapping from names to such mappings
  exact_boolean = 32768,  // true, false, 0 or 1, and no text
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
  std::string_view default_value{};  // the default, as YAML; empty where required
  bool nullable = false;
  std::span<const std::string_view> choices{};
  bool any_case = false;               // true if the case of letters of a choice does not count
  const RecordSpec* record = nullptr;  // for record, records and named_records
  std::string_view no_effect{};        // why the field has no effect; empty if it has
  std::string_view doc{};              // one line
  Unit unit = Unit::none;              // of the time that it gives
};

// A mapping within a field.
struct RecordSpec {
  std::string_view name;  // of its class
  std::span<const FieldSpec> fields;
  bool open = false;  // true if other keys are silently ignored
};

struct ModifierSpec {
  std::string_view name;
  std::uint8_t meaning = 0;           // a value of the dialect's own enumeration
  std::span<const FieldSpec> fields;  // besides those that all modifiers have
  std::string_view doc;
};

struct Modifier;
struct Field;
struct Reading;

// A field by its name in older versions.
struct Renamed {
  std::string_view before;
  std::string_view now;
};

// The modifiers that one framework knows.
struct Table {
  std::string_view framework;               // "SparseML"
  std::span<const ModifierSpec> modifiers;  // by name
  std::span<const FieldSpec> common;        // of every modifier
  std::span<const Renamed> renamed;
  std::string_view unknown_modifier_help;  // where no name comes near
  std::string_view unknown_field_help;
  // Reports what is known about a field that the modifier does not have. Returns false if nothing is; may be null.
  bool (*report_unknown)(const Reading&, const Modifier&, const Field&) = nullptr;

  // Null where there is none.
  [[nodiscard]] const ModifierSpec* find(std::string_view modifier) const;
  // The row of a field, those that all modifiers have included; null where there is none.
  [[nodiscard]] const FieldSpec* find(const ModifierSpec& modifier, std::string_view field) const;
};

}  // namespace sparsecfg::dialect::stages
