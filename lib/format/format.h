#pragma once

#include <optional>
#include <string>

#include "diag/sink.h"
#include "doc/document.h"
#include "doc/readers.h"
#include "format/layout.h"
#include "ir/recipe.h"
#include "source/source_file.h"

// Lays out recipes: every comment, variable, anchor and value stays, and what the file says stays the same.
namespace sparsecfg::format {

struct Formatted {
  std::string text;
  bool faulty = false;  // the result would not say what the file says, which is an internal error: `text` is the file
};

// Returns the part of a file that holds YAML or JSON: all of it, or the front matter of a Markdown file. Returns
// nullopt if there is no front matter.
[[nodiscard]] std::optional<source::Span> part_of(const source::SourceFile& file);

// Returns the formatted text of a file. Returns nullopt if it can't be read; an error in the sink then says why.
[[nodiscard]] std::optional<Formatted> format(const source::SourceFile& file, const FieldOrder& order,
                                              const doc::Limits& limits, diag::Sink& sink);

// Returns the text with the values of its fields in the place of `eval(...)`, which stays behind them as a comment.
// Variables that nothing uses any more become comments, too, so that nobody sets them in vain.
[[nodiscard]] std::string resolve_variables(const source::SourceFile& file, const doc::Document& document,
                                            const ir::Recipe& recipe);

}  // namespace sparsecfg::format
