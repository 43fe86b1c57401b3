#pragma once

#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "ir/recipe.h"

namespace sparsecfg::rescale {

// A number of the recipe that is a time.
struct Time {
  source::Value value;  // a number, or a string with a number
  double number = 0;
  std::string label;  // "`end_epoch` of `EpochRangeModifier#1`"
  std::string stage;
  dialect::Unit unit = dialect::Unit::none;
  bool whole = false;
};

// A value that depends on time but is not a number in the file.
struct Unscalable {
  source::Span place;
  std::string label;
  std::string reason;
};

struct Times {
  std::vector<Time> numbers;  // each place once
  std::vector<Unscalable> others;
};

// Finds the times by the table of the dialect. `dialect.times` must not be null.
[[nodiscard]] Times find_times(const ir::Recipe& recipe, const dialect::Dialect& dialect);

}  // namespace sparsecfg::rescale
