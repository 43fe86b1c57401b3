#pragma once

#include "dialect/torchao/config.h"

// The type of the parameters of a model, which some transformations limit.
namespace sparsecfg::dialect::torchao {

// Reports a type of parameters that a configuration does not support. Returns false after a report.
bool check_parameter_type(const Context& context, const Config& config);

}  // namespace sparsecfg::dialect::torchao
