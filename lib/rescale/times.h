#pragma once

#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "ir/recipe.h"

namespace sparsecfg::rescale {

// A number of the recipe that says when something happens.
struct Time {
  source::Value value;  // a number, or a text that holds one
  double number = 0;
  std::string label;  // "`end_epoch` of `EpochRangeModifier#1`"
  std::string stage;
  dialect::Unit unit = dialect::Unit::none;
  bool whole = false;
};

// What depends on time and is no number in the file.
struct Unscalable {
  source::Span place;
  std::string label;
  std::string reason;
};

struct Times {
  std::vector<Time> numbers;  // each place once
  std::vector<Unscalable> others;
};

// Finds them by the tables of the recipe's dialect, which has some.
[[nodiscard]] Times find_times(const ir::Recipe& recipe, const dialect::Dialect& dialect);

}  // namespace sparsecfg::rescale
