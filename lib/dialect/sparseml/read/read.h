#pragma once

#include <optional>

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// Reads a recipe of `!...Modifier` tags as the SparseML reader for a framework does. `part` is the text of the file
// that `document` was parsed from. Reports everything that SparseML would reject, fail on or drop. The recipe contains
// all modifiers that could be read; those with errors are invalid actions.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, source::Span part, const doc::Document& document,
                              const ReadOptions& options, diag::Sink& sink);

// The two kinds of SparseML recipes, each with its own loader: lists of `!...Modifier` tags, and stages whose groups
// are mappings with `...Modifier` keys.
struct Kinds {
  std::optional<source::Span> tag;    // the first modifier tag
  std::optional<source::Span> group;  // the key of the first such group
  bool stages = false;                // true if a top-level key is the name of a stage, or `stages`

  [[nodiscard]] bool both() const { return tag && group; }

  [[nodiscard]] bool of_stages() const { return !tag && (group || stages); }
};

// Returns true for a tag of a modifier, such as `!EpochRangeModifier`.
[[nodiscard]] bool has_modifier_tag(const doc::Node& node);

// Finds signs of both kinds in a document.
[[nodiscard]] Kinds find_kinds(const doc::Document& document);

}  // namespace sparsecfg::dialect::sparseml
