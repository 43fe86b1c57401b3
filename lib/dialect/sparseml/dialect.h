#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::sparseml {

extern const Dialect kDialect;

}  // namespace sparsecfg::dialect::sparseml
