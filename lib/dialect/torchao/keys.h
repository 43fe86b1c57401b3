#pragma once

#include <vector>

#include "dialect/torchao/config.h"
#include "ir/operation.h"
#include "model/names.h"

namespace sparsecfg::dialect::torchao {

// Reports keys of a map that select nothing or other modules than linear layers, and what the transformations reject.
// `compiled`: the place of `torch.compile`, whose result has other names; empty for another model. Returns false if the
// call stops. Removes the places of reported keys, so that common checks do not report them again.
bool check_keys(const Context& context, const Configuration& config, ir::Assign& assign,
                const std::vector<model::Module>& units, source::Span compiled);

}  // namespace sparsecfg::dialect::torchao
