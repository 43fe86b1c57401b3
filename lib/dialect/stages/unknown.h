#pragma once

#include <vector>

#include "dialect/record/record.h"
#include "ir/operation.h"

namespace sparsecfg::dialect::stages {

// Marks the rules of a modifier as unknown if a field that decides them is known only after running a script. Without
// its format, a modifier has no rules yet; it gets one that makes every module unknown, with its method.
void mark_unknown(const Record& modifier, const ir::Method& method, std::vector<ir::Operation>& operations);

}  // namespace sparsecfg::dialect::stages
