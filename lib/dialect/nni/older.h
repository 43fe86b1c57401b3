#pragma once

#include "dialect/nni/targets.h"

namespace sparsecfg::dialect::nni {

// Holds the lists against the rules of NNI 2.x (reference 3.3) or 1.x (5.5), and says which entry each
// module of the model gets its sparsity from: the last one that takes it, unless a later one excludes
// it. Where the model is not known each entry stands for itself.
[[nodiscard]] std::vector<std::vector<Target>> read_older(Configuration& configuration, const Context& context);

}  // namespace sparsecfg::dialect::nni
