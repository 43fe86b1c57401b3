#pragma once

#include <vector>

#include "dialect/record/record.h"
#include "ir/operation.h"

namespace sparsecfg::dialect::stages {

// Returns true if a field that decides the rules of a modifier is known only after running a script.
[[nodiscard]] bool has_unknown_rules(const Record& modifier);

// Marks the rules of such a modifier as unknown. Without its format, a modifier has no rules yet; it gets one that
// makes every module unknown, with its method.
void mark_unknown(const Record& modifier, const ir::Method& method, std::vector<ir::Operation>& operations);

}  // namespace sparsecfg::dialect::stages
