#pragma once

#include <vector>

#include "doc/document.h"
#include "format/edits.h"
#include "source/source_file.h"

namespace sparsecfg::format {

// Returns the edits of white space that lay out the document in `part` of the file:
//
// - two columns for each level; lists below a key are indented like most lists of the file, by two columns or none;
// - one space after `-`, `:` and `,`, none within brackets, two at least before a comment;
// - one blank line at most in a row, none at the beginning and the end of the file, no space at the end of a line;
// - comments move with the lines that they stand above, and stay below each other where they did.
//
// What stands within a scalar of several lines, and how a collection in brackets is broken into lines, stays. Empty if
// the document has a form that is not laid out (`? key`).
[[nodiscard]] std::vector<Edit> lay_out(const source::SourceFile& file, source::Span part,
                                        const doc::Document& document);

}  // namespace sparsecfg::format
