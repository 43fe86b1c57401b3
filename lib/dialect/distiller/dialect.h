#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::distiller {

extern const Dialect kDialect;

}  // namespace sparsecfg::dialect::distiller
