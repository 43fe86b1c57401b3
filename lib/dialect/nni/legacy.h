#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Whether NNI 3.0 translates the list: it looks at the first entry alone.
[[nodiscard]] bool is_legacy(const Compressor& compressor);

// Turns the keys of 2.x into those of 3.0 as NNI 3.0 does (reference 3.2), and reports what gets lost
// or changes its meaning on the way.
void translate(Compressor& compressor, const Context& context);

}  // namespace sparsecfg::dialect::nni
