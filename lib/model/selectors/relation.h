#pragma once

#include "base/budget.h"
#include "model/selectors/entries.h"
#include "regex/compare.h"

// Compares entries without a model, by all possible names.
namespace sparsecfg::selectors {

// Reports whether some name can be matched by both entries. The witness of a yes is such a name. Only terms that
// compare names are examined; the answer is unknown if another term could change it.
[[nodiscard]] regex::Comparison intersects(const Entry& a, const Entry& b, base::Budget& budget);

// Reports whether `a` matches every name that `b` matches. The witness of a no is a name that only `b` matches.
[[nodiscard]] regex::Comparison contains(const Entry& a, const Entry& b, base::Budget& budget);

// Returns true if both entries certainly match the same names in every model.
[[nodiscard]] bool same_matches(const Entry& a, const Entry& b, base::Budget& budget);

}  // namespace sparsecfg::selectors
