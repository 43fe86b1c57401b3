#pragma once

#include "doc/document.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns true if a file has stages and nothing that only SparseML reads.
[[nodiscard]] bool claims(const doc::Document& document);

// Returns true if such a file has nothing that only llm-compressor reads.
[[nodiscard]] bool may_be_sparseml(const doc::Document& document);

}  // namespace sparsecfg::dialect::llmcompressor
