#pragma once

#include "doc/document.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns true if a file is one of stages and nothing in it belongs to SparseML alone.
[[nodiscard]] bool claims(const doc::Document& document);

// Returns true if nothing in such a file belongs to llm-compressor alone.
[[nodiscard]] bool may_be_sparseml(const doc::Document& document);

}  // namespace sparsecfg::dialect::llmcompressor
