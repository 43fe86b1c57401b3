#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "dialect/timed.h"

// What a table of a dialect says about its classes. Tables are data: readers, `explain`, schemas
// and suggestions are loops over them.
namespace sparsecfg::dialect {

// What the framework does with a field's value before it looks at it.
enum class Type : std::uint8_t {
  any,      // accepts any value
  epoch,    // float(): numbers, booleans and texts that hold a number
  number,   // an int, a float or a boolean, compared or computed with as it is
  real,     // a float and nothing else: 0 and 1 are refused
  rate,     // a number, or a text that float() turns into one
  choice,   // one of a list of words
  boolean,  // true or false; each class treats other values in its own way
  text,
  list,
  mapping,
  selectors,  // names, `re:` patterns and tokens; a bare text must be a token
};

// When the framework finds out.
enum class Moment : std::uint8_t {
  load,        // the file is refused
  initialize,  // when the modifier meets the model
  step,        // during training
};

struct Bounds {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool least_excluded = false;
  bool most_excluded = false;

  [[nodiscard]] constexpr bool any() const {
    return min != -std::numeric_limits<double>::infinity() || max != std::numeric_limits<double>::infinity();
  }
};

struct FieldSpec {
  std::string_view name;
  Type type = Type::any;
  bool required = false;
  std::string_view default_value{};  // the default, as YAML; empty where required
  Bounds bounds{};
  std::span<const std::string_view> choices{};
  std::string_view token{};      // a text that is taken besides
  bool by_selector = false;      // a mapping from such a value to selectors is taken besides
  bool listed = false;           // a list of such values is taken besides
  Moment phase = Moment::load;   // when a value that does not fit is found
  bool nullable = false;         // null is a value of its own here
  std::string_view no_effect{};  // why the field has no effect; empty if it has
  std::string_view doc{};        // one line
  Unit unit = Unit::none;        // of the time that it gives
};

// How `end_epoch` must stand to `start_epoch` (reference/sparseml.md B.0).
enum class EndRule : std::uint8_t {
  none,            // not compared
  unset_or_after,  // -1, or not before the start
  not_before,      // not before the start
  after,           // after the start
};

}  // namespace sparsecfg::dialect
