#pragma once

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml::staged {

// Reads a recipe of stages, SparseML's newer kind: mappings `...Modifier:` in `..._modifiers:` in
// `..._stage:` (reference/sparseml.md B.9). Reports everything that SparseML would refuse, or stop
// at, or drop. The recipe holds all modifiers whose type is known; those that are wrong are in it
// as actions that are not sound.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, const doc::Document& document, const ReadOptions& options,
                              diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml::staged
