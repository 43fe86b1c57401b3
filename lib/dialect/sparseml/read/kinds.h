#pragma once

#include <optional>

#include "doc/document.h"

namespace sparsecfg::dialect::sparseml {

// SparseML's recipes come in two kinds, each for a loader of its own: lists of tags
// `!...Modifier`, and stages whose groups are mappings with keys `...Modifier`.
struct Kinds {
  std::optional<source::Span> tag;    // the first one
  std::optional<source::Span> group;  // the key of the first group that is such a mapping
  bool stages = false;                // whether a key of the top level says that there are stages

  [[nodiscard]] bool both() const { return tag && group; }

  [[nodiscard]] bool of_stages() const { return !tag && (group || stages); }
};

// What a document shows of each.
[[nodiscard]] Kinds find_kinds(const doc::Document& document);

}  // namespace sparsecfg::dialect::sparseml
