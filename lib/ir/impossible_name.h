#pragma once

#include <optional>
#include <string>

#include "ir/selector.h"
#include "regex/budget.h"

// Selectors that no model has a name for.
namespace sparsecfg::ir {

struct Impossible {
  std::string reason;    // why, as a clause
  bool certain = false;  // false: a name is only unlikely, as one of a parameter called `conv`
  std::string meant{};   // what to write instead; empty where that is not known
};

// Nothing where a model may well have a name that the term matches. `framework` is that of the recipe, empty for
// PyTorch, whose names have `.` between their parts. Returns nullopt for every pattern once the budget is spent.
[[nodiscard]] std::optional<Impossible> impossible_name(const Term& term, Selector::Over over,
                                                        const std::string& framework, regex::Budget& budget);

}  // namespace sparsecfg::ir
