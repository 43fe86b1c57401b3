#pragma once

#include "doc/document.h"

namespace sparsecfg::dialect::llmcompressor {

// Whether a file is one of stages and nothing in it belongs to SparseML alone.
[[nodiscard]] bool claims(const doc::Document& document);

// Whether nothing in such a file belongs to llm-compressor alone.
[[nodiscard]] bool may_be_sparseml(const doc::Document& document);

}  // namespace sparsecfg::dialect::llmcompressor
