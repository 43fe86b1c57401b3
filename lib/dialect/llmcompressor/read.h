#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::llmcompressor {

// Reads a recipe of llm-compressor's (stages, groups, modifiers and their fields). Reports everything that it would
// refuse, stop at or drop. The recipe holds all modifiers whose class is known.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::llmcompressor
