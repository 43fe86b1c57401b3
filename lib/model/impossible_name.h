#pragma once

#include <optional>
#include <string>

#include "model/selector.h"
#include "regex/budget.h"

// Detects selectors that match no name in any model.
namespace sparsecfg::model {

struct Impossible {
  std::string reason;    // the reason, as a clause
  bool certain = false;  // false if matching names are only unlikely, such as a parameter called `conv`
  std::string meant{};   // suggested replacement; empty if unknown
};

// Returns the reason why no model has a name that the term matches. Returns nullopt if a model could have such a name,
// and for all patterns once the budget is exhausted. `framework` is the framework of the recipe; empty means PyTorch,
// whose names have `.` between their parts.
[[nodiscard]] std::optional<Impossible> impossible_name(const Term& term, Selector::Over over,
                                                        const std::string& framework, regex::Budget& budget);

}  // namespace sparsecfg::model
