#pragma once

#include <cstdint>
#include <string_view>

// Which fields say when something happens, and in what they count it.
namespace sparsecfg::dialect {

enum class Unit : std::uint8_t {
  none,            // the field gives no time
  epochs,          // an epoch, or a number of epochs; lists and pairs that begin with one included
  epochs_between,  // from one update to the next
  each_epoch,      // a number that counts once for each epoch that passes
  steps,           // of the optimizer
  steps_between,   // from one update to the next
  updates,         // how many of them there are
  formula,         // a text that may compute with the epoch
};

// A field of an action, or a value of a mapping in that field.
struct TimedField {
  std::string_view field;  // as ir::Origin names it
  std::string_view key{};  // in its mapping; empty: the field itself
  Unit unit = Unit::none;
  bool whole = false;                // true if only whole numbers do what they say
  std::string_view default_value{};  // as YAML, where the field is absent; empty: none
};

// Adds the rows of a table that give times. `field` is the mapping that holds them; empty: none does.
void add_times(auto& out, const auto& rows, bool whole, std::string_view field = {}) {
  for (const auto& row : rows) {
    if (row.unit == Unit::none) continue;
    const bool inside = !field.empty();
    out.push_back(
        {inside ? field : row.name, inside ? row.name : std::string_view(), row.unit, whole, row.default_value});
  }
}

}  // namespace sparsecfg::dialect
