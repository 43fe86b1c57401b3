#pragma once

#include <optional>

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// Reads a recipe of `!...Modifier` tags as SparseML's reader for a framework reads it, from the text `part`
// of the file that `document` was made of, and reports everything that SparseML would refuse, or
// stop at, or drop. The recipe holds all modifiers that could be read; those that are wrong are
// in it as actions that are not valid.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, source::Span part, const doc::Document& document,
                              const ReadOptions& options, diag::Sink& sink);

// SparseML's recipes come in two kinds, each for a loader of its own: lists of tags
// `!...Modifier`, and stages whose groups are mappings with keys `...Modifier`.
struct Kinds {
  std::optional<source::Span> tag;    // the first one
  std::optional<source::Span> group;  // the key of the first group that is such a mapping
  bool stages = false;                // true if a key of the top level says that there are stages

  [[nodiscard]] bool both() const { return tag && group; }

  [[nodiscard]] bool of_stages() const { return !tag && (group || stages); }
};

// What a document shows of each.
[[nodiscard]] Kinds find_kinds(const doc::Document& document);

}  // namespace sparsecfg::dialect::sparseml
