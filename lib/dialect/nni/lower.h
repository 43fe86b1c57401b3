#pragma once

#include "dialect/nni/targets.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::nni {

// The actions of a configuration, one for each entry, and the length of its run. `targets`: what is
// left to each entry of each compressor, where that is known.
[[nodiscard]] ir::Recipe lower(const Configuration& configuration, const std::vector<std::vector<Target>>& targets,
                               const Context& context);

}  // namespace sparsecfg::dialect::nni
