#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::schedule {

// The schedule itself as JSON, whatever dialect it was read from.
extern const Dialect kDialect;

}  // namespace sparsecfg::dialect::schedule
