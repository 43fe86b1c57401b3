#pragma once

#include <optional>
#include <string>

#include "diag/sink.h"
#include "doc/document.h"
#include "doc/readers.h"
#include "format/layout.h"
#include "ir/recipe.h"
#include "source/source_file.h"

// Formats recipes. Comments, variables, anchors and values are kept, and the meaning of the file does not change.
namespace sparsecfg::format {

struct Formatted {
  std::string text;
  bool faulty = false;  // internal error: formatting would change the meaning; `text` is unchanged
};

// Returns the part of a file that contains YAML or JSON: the whole file, or the front matter of a Markdown file.
// Returns nullopt without front matter.
[[nodiscard]] std::optional<source::Span> part_of(const source::SourceFile& file);

// Returns the formatted text of a file. Returns nullopt, after reporting an error, if the file can't be read.
[[nodiscard]] std::optional<Formatted> format(const source::SourceFile& file, const FieldOrder& order,
                                              const doc::Limits& limits, diag::Sink& sink);

// Returns the text with `eval(...)` replaced by the values of the fields; the expression is kept as a comment after the
// value. Unused variables become comments, because changing them would have no effect.
[[nodiscard]] std::string resolve_variables(const source::SourceFile& file, const doc::Document& document,
                                            const ir::Recipe& recipe);

}  // namespace sparsecfg::format
