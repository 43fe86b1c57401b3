#pragma once

#include "dialect/torchao/config.h"

// Training with simulated quantization.
namespace sparsecfg::dialect::torchao {

// Reports a base that `QATConfig` can't simulate. Returns false after a report.
bool check_simulated(const Context& context, const Config& config);

// Reports a base that differs from the one that the training simulated. `prepared`: the place of that call.
void check_trained(const Context& context, const Config& trained, source::Span prepared, const Config& config);

}  // namespace sparsecfg::dialect::torchao
