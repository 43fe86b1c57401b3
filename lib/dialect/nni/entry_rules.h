#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Holds an entry against the schema of NNI 3.0 (reference 2). Reports all that it refuses, and marks
// the entry as not sound then. `translated`: whether the list has gone through the translation.
void check_entry(Entry& entry, Mode mode, bool translated, const Context& context);

}  // namespace sparsecfg::dialect::nni
