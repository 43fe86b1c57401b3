#pragma once

#include "dialect/torchao/config.h"

// Values that the constructors of configurations reject.
namespace sparsecfg::dialect::torchao {

// Reports granularities and types that the class of a configuration does not accept. Returns false after a report.
bool check_values(const Context& context, const Config& config);

}  // namespace sparsecfg::dialect::torchao
