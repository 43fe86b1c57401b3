#pragma once

#include <vector>

#include "architecture/derive.h"
#include "architecture/scope.h"

namespace sparsecfg::architecture {

// Expands the rows of a family to layers. Fails if there are more than kMaxModules.
void expand(const std::vector<Row>& rows, Scope& scope, Layer root, std::vector<Layer>& out);

}  // namespace sparsecfg::architecture
