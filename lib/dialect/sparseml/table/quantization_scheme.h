#pragma once

#include "diag/sink.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A quantization scheme as both kinds of SparseML's recipes take it (reference/sparseml.md B.6):
// null, a word or a mapping. Reports what is refused, and keys that are silently dropped.
void check_scheme(const source::Value& scheme, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
