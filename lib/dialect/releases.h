#pragma once

#include <string>

#include "dialect/dialect.h"

namespace sparsecfg::dialect {

// Returns the releases of the framework whose recipes are known, such as "0.1 to 0.13"; empty if unknown.
[[nodiscard]] std::string releases_of(const Dialect& dialect);

}  // namespace sparsecfg::dialect
