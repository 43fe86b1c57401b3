#pragma once

#include <cstdint>
#include <string_view>

// Fields that hold times, and their units.
namespace sparsecfg::dialect {

enum class Unit : std::uint8_t {
  none,            // not a time
  epochs,          // an epoch or a number of epochs, also in lists and as the first item of pairs
  epochs_between,  // interval between updates, in epochs
  each_epoch,      // a factor applied once per epoch
  steps,           // optimizer steps
  steps_between,   // interval between updates, in steps
  updates,         // number of updates
  formula,         // an expression that may use the epoch
};

// A field of an action, or a value of a mapping in that field.
struct TimedField {
  std::string_view field;  // name in ir::Origin
  std::string_view key{};  // key in the mapping of the field; empty: the field itself
  Unit unit = Unit::none;
  bool whole = false;                // true if only whole numbers work as expected
  std::string_view default_value{};  // as YAML, used if the field is absent; empty: none
};

// Adds the rows of a table that hold times. `field` is the mapping that contains them; empty: top-level fields.
void add_times(auto& out, const auto& rows, bool whole, std::string_view field = {}) {
  for (const auto& row : rows) {
    if (row.unit == Unit::none) continue;
    const bool inside = !field.empty();
    out.push_back(
        {inside ? field : row.name, inside ? row.name : std::string_view(), row.unit, whole, row.default_value});
  }
}

}  // namespace sparsecfg::dialect
