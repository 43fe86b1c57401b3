#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "dialect/timed.h"

// Row types of the tables that describe the classes of a dialect. Readers, `explain`, schemas and suggestions iterate
// over these tables.
namespace sparsecfg::dialect {

// Conversion or type check that the framework applies to a field's value.
enum class Type : std::uint8_t {
  any,      // accepts any value
  epoch,    // float(): numbers, booleans and strings that hold a number
  number,   // an int, a float or a boolean, used without conversion
  real,     // only a float: 0 and 1 are rejected
  rate,     // a number, or a string that float() accepts
  choice,   // one of a list of words
  boolean,  // true or false; the treatment of other values depends on the class
  text,
  list,
  mapping,
  selectors,  // names, `re:` patterns and tokens; a plain string must be a token
};

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
};

struct FieldSpec {
  std::string_view name;
  Type type = Type::any;
  bool required = false;
  std::string_view default_value{};  // as YAML; empty if the field is required
  Bounds bounds{};
  std::span<const std::string_view> choices{};
  std::string_view token{};      // a string that is also accepted
  bool by_selector = false;      // a mapping from such a value to selectors is also accepted
  bool listed = false;           // a list of such values is also accepted
  Moment phase = Moment::load;   // when an invalid value is detected
  bool nullable = false;         // null is a distinct value
  std::string_view no_effect{};  // why the field has no effect; empty if it has
  std::string_view doc{};        // one line
  Unit unit = Unit::none;        // of the time in the field
};

// Required relation of `end_epoch` to `start_epoch` (reference/sparseml.md B.0).
enum class EndRule : std::uint8_t {
  none,            // not compared
  unset_or_after,  // -1, or not before the start
  not_before,      // not before the start
  after,           // after the start
};

}  // namespace sparsecfg::dialect
