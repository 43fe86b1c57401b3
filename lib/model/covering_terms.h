#pragma once

#include <string>
#include <vector>

#include "model/selector.h"

namespace sparsecfg::model {

// Returns full names and patterns that together match exactly the names with `wanted`, in their order. A pattern
// matches from the start to the end of names that differ only in their numbers.
[[nodiscard]] std::vector<Term> covering_terms(const std::vector<std::string>& names, const std::vector<bool>& wanted);

}  // namespace sparsecfg::model
