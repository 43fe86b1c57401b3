#pragma once

#include <string>
#include <vector>

#include "dialect/pytorch/courses.h"
#include "dialect/pytorch/python_text.h"
#include "dialect/write.h"
#include "ir/selector.h"

// Which parameters an action takes, as a list of strings of which the runtime finds the names, or as an object
// that finds modules.
namespace sparsecfg::dialect::pytorch {

[[nodiscard]] Text names(const std::vector<std::string>& all);

// Its terms as they are.
[[nodiscard]] Text terms(const ir::Selector& selector, Parts& parts);

// The names that it takes where the model is known, else its terms.
[[nodiscard]] Text selected(const ir::Selector& selector, const WriteOptions& options, Parts& parts);

// Why a selector can't be written; empty where it can.
[[nodiscard]] std::string refusal(const ir::Selector& selector);

// Returns true if the framework stops where a term finds nothing.
[[nodiscard]] bool stops_without(const ir::Selector& selector);

}  // namespace sparsecfg::dialect::pytorch
