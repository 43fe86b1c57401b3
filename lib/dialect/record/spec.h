#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "diag/catalog.h"
#include "dialect/timed.h"

namespace sparsecfg::source {
struct Value;
}

// Row types of the tables that describe the classes of a dialect. Readers, `explain`, schemas and suggestions iterate
// over these tables.
namespace sparsecfg::dialect {

// The types of values that a field accepts. A union of types has several bits.
enum class Type : std::uint32_t {
  any = 0,
  real = 1U << 0U,            // converted by float(): a number, a boolean or a string that contains a number
  whole = 1U << 1U,           // converted likewise to a whole number
  boolean = 1U << 2U,         // converted by pydantic: a boolean, 0, 1 or a word such as `yes`
  text = 1U << 3U,            //
  texts = 1U << 4U,           // a list of strings
  reals = 1U << 5U,           // a list of floats
  mapping = 1U << 6U,         // with string keys
  mappings = 1U << 7U,        // a list of such mappings
  groups = 1U << 8U,          // a list of lists
  layer_pairs = 1U << 9U,     // a list of strings or pairs of strings
  choice = 1U << 10U,         // one of `choices`
  choices = 1U << 11U,        // a list of such choices
  record = 1U << 12U,         // a mapping with the fields of `record`
  records = 1U << 13U,        // a list of such mappings
  named_records = 1U << 14U,  // a mapping from names to such mappings
  exact_boolean = 1U << 15U,  // true, false, 0 or 1, but no string
  number = 1U << 16U,         // an int, a float or a boolean, used without conversion
  exact_float = 1U << 17U,    // only a float: 0 and 1 are rejected
  truth = 1U << 18U,          // any value, converted by bool() or by the class
  list = 1U << 19U,           // with any items
  any_mapping = 1U << 20U,    // with any keys
  selectors = 1U << 21U,      // names, `re:` patterns and tokens; a plain string must be a token
  selectors_by = 1U << 22U,   // a mapping from values of the field to selectors
  integer = 1U << 23U,        // an int: no float and no boolean
  text_groups = 1U << 24U,    // a list of lists of strings
};

[[nodiscard]] constexpr Type operator|(Type a, Type b) {
  return static_cast<Type>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// Returns true if the types have a type in common.
[[nodiscard]] constexpr bool allows(Type all, Type one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

inline constexpr Type kNumbers = Type::real | Type::number | Type::exact_float;

// When the framework detects a value that does not fit.
enum class Moment : std::uint8_t {
  load,        // the file is rejected
  initialize,  // when the modifier is applied to the model
  step,        // during training
};

struct Bounds {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;
  bool max_excluded = false;

  [[nodiscard]] constexpr bool any() const {
    return min != -std::numeric_limits<double>::infinity() || max != std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] constexpr bool contain(double number) const {
    const bool low = min_excluded ? number <= min : number < min;
    const bool high = max_excluded ? number >= max : number > max;
    return !low && !high;
  }
};

// A value of an enumeration that a dialect defines.
class DialectEnum {
 public:
  constexpr DialectEnum() = default;
  template <class Enum>
  requires std::is_enum_v<Enum>

  constexpr DialectEnum(Enum value)
      : value_(static_cast<std::uint8_t>(value)) {}  // NOLINT(google-explicit-constructor)

  template <class Enum>
  [[nodiscard]] constexpr Enum as() const {
    return static_cast<Enum>(value_);
  }

  friend constexpr bool operator==(DialectEnum, DialectEnum) = default;

 private:
  std::uint8_t value_ = 0;
};

// A condition on a value, as a column of a row.
using Test = bool (*)(const source::Value&);

// A rule about the value of a field. Its arguments are the names of the field and of the class, and the value as Python
// prints it.
using ValueRule = diag::Def<diag::Text, diag::Text, diag::Text>;

// Values of the right type that the class does not support, and the rule that reports them.
struct Unsupported {
  Test test;
  const ValueRule& rule;
  bool deletable = false;  // true if the recipe means the same without the field
};

// The release that removed a field.
struct Removal {
  DialectEnum release;
  std::string_view help;
  Test redundant = nullptr;  // returns true if the recipe means the same without the field; null: never
  bool moved = false;        // true if another class has the field now
};

struct ClassSpec;

struct FieldSpec {
  std::string_view name;
  Type type = Type::any;
  bool required = false;
  std::string_view default_value{};  // as YAML; empty if the field is required
  Bounds bounds{};                   // of a number
  std::span<const std::string_view> choices{};
  std::span<const std::string_view> suggested{};  // values that editors offer besides `choices`; not checked by type
  bool any_case = false;                          // true if choices are case-insensitive
  std::string_view token{};                       // a string that is also accepted
  const ClassSpec* record = nullptr;              // for record, records and named_records
  Moment phase = Moment::load;                    // when an invalid value is detected
  bool nullable = false;                          // null is a distinct value
  std::string_view no_effect{};                   // why the framework ignores the field; empty if it uses the field
  std::span<const Unsupported> unsupported{};     // the first entry that matches is reported
  std::string_view conflict{};                    // a field that must not be set together with this one
  std::optional<DialectEnum> since{};             // the first release with the field; nullopt: all releases
  std::optional<Removal> removed{};               // nullopt: the newest release has the field
  std::string_view doc{};                         // one line
  Unit unit = Unit::none;                         // of the time in the field
};

// Required relation of `end_epoch` to `start_epoch` (docs/semantics/sparseml.md#b0-3).
enum class EndRule : std::uint8_t {
  none,            // not compared
  unset_or_after,  // -1, or not before the start
  not_before,      // not before the start
  after,           // after the start
};

// A class, or a mapping within a field.
struct ClassSpec {
  std::string_view name;
  DialectEnum kind{};  // decides how the class is lowered and which rules apply to it
  std::span<const FieldSpec> fields;
  std::string_view doc{};
  EndRule end = EndRule::none;
  unsigned flags = 0;                   // bits that the dialect defines
  DialectEnum section{};                // where the class may be used
  std::string_view criterion{};         // what ranks the weights; for classes that can't be used, the reason
  std::span<const FieldSpec> common{};  // further fields, shared by all classes of a table
  bool open = false;                    // true if other keys are silently ignored
  std::span<const FieldSpec> former{};  // fields that were removed, which find() does not return
  std::span<const FieldSpec> limits{};  // what the class supports of fields that other records contain
  std::optional<DialectEnum> since{};   // the first release with the class; nullopt: all releases
  std::optional<Removal> removed{};     // nullopt: the newest release has the class

  // Returns the row of a field, or null for an unknown field.
  [[nodiscard]] constexpr const FieldSpec* find(std::string_view field) const {
    for (const std::span<const FieldSpec> part : {fields, common}) {
      const auto found = std::ranges::find(part, field, &FieldSpec::name);
      if (found != part.end()) return &*found;
    }
    return nullptr;
  }
};

}  // namespace sparsecfg::dialect
