#pragma once

#include <string>

#include "cases.h"

namespace sparsecfg::truth {

// Compares a recorded timeline with the output of `timeline --format csv`. Sparsity must agree within 1e-12, learning
// rates within a relative 1e-9. Columns agree in any order, because several actions may have the same class. Returns
// the first difference, empty if there is none.
[[nodiscard]] std::string timeline_difference(const Json& recorded, const std::string& csv);

}  // namespace sparsecfg::truth
