#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::nni {

extern const Dialect kDialect;

}  // namespace sparsecfg::dialect::nni
