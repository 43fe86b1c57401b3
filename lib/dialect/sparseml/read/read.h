#pragma once

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// Reads a recipe of `!...Modifier` tags as SparseML's reader for a framework reads it, from the text `part`
// of the file that `document` was made of, and reports everything that SparseML would refuse, or
// stop at, or drop. The recipe holds all modifiers that could be told; those that are wrong are
// in it as actions that are not sound.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, source::Span part, const doc::Document& document,
                              const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
