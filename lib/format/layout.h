#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doc/document.h"
#include "doc/field_order.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::format {

using doc::Document;
using doc::FieldOrder;
using doc::Kind;
using doc::Node;
using doc::NodeId;
using doc::Style;

// The bytes of `span` become `text`.
struct Edit {
  source::Span span;
  std::string text;
};

// Returns the text after all edits, which must not overlap. Edits of one place are made in their order.
[[nodiscard]] std::string apply_edits(std::string_view text, std::vector<Edit> edits);

// Returns the edits that put the fields of a class into the usual order where they break one of its runs: an end before
// its start, a final value before the initial one. All other fields stay in the author's order, and so do those with a
// comment line, a blank line, an anchor or an alias among them.
[[nodiscard]] std::vector<Edit> reorder(std::string_view text, const doc::Document& document, const FieldOrder& order);

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
