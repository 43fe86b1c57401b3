#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/model_names.h"
#include "model/selector.h"

namespace sparsecfg::model {

// Returns full names and patterns that together match exactly the names with `wanted`, in their order. A pattern
// matches from the start to the end of names that differ only in their numbers.
[[nodiscard]] std::vector<Term> covering_terms(const std::vector<std::string>& names, const std::vector<bool>& wanted);

// Returns the texts of names and patterns, with `re:` before patterns, that together select all prunable parameters
// without those of other selectors. Empty if nothing is left, or if there are more than `most`.
[[nodiscard]] std::vector<std::string> prunable_beside(const ModelNames& names, std::span<const Selector* const> others,
                                                       std::size_t most);

}  // namespace sparsecfg::model
