#pragma once

#include "dialect/nni/targets.h"

namespace sparsecfg::dialect::nni {

// What each module of the model gets under the rules up to 2.x: the settings of the last entry that
// takes it, unless a later one excludes it. Where the model is not known each entry stands for itself.
// Reports entries that have no effect.
[[nodiscard]] std::vector<Target> select_last(const Compressor& compressor, const Context& context);

}  // namespace sparsecfg::dialect::nni
