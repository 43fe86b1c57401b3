#pragma once

#include "dialect/modelopt/read.h"

namespace sparsecfg::dialect::modelopt {

// Reads the arguments of `mts.sparsify` and adds its operation to an action. Returns false if the call fails.
bool read_sparsify(const Context& context, const source::Value& arguments, ir::Action& action);

}  // namespace sparsecfg::dialect::modelopt
