#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Holds the arguments of the classes against their constructors, and their schedules against the run
// (reference 5 and 6). Reports what stops NNI 3.0, marks the compressor then, and warns of schedules
// that never act.
void check_arguments(Configuration& configuration, const Context& context);

}  // namespace sparsecfg::dialect::nni
