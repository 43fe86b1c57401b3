#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::nni {

// Reads a configuration of NNI as the release that the options name does: what it refuses, what stops
// it later, and what it drops goes to the sink; the recipe has one action for each entry of a list.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::nni
