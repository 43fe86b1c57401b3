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

// Replaces the bytes of `span` with `text`.
struct Edit {
  source::Span span;
  std::string text;
};

// Returns the edits that restore the usual order of class fields where it is violated, such as an end before its start
// or a final value before the initial one. All other fields keep the author's order. So do fields with a comment line,
// a blank line, an anchor or an alias among them.
[[nodiscard]] std::vector<Edit> reorder(std::string_view text, const doc::Document& document, const FieldOrder& order);

// Returns the white-space edits that lay out the document in `part` of the file:
//
// - two columns per level; lists below a key are indented like most lists of the file, by two columns or none;
// - one space after `-`, `:` and `,`, none inside brackets, at least two before a comment;
// - at most one blank line in a row, none at the beginning and end of the file, no trailing white space;
// - comments move with the line below them and stay aligned with each other.
//
// The content of multi-line scalars and the line breaks in bracketed collections do not change. Returns no edits if the
// document contains a form that is not supported (`? key`).
[[nodiscard]] std::vector<Edit> lay_out(const source::SourceFile& file, source::Span part,
                                        const doc::Document& document);

// Properties of single nodes that the layout needs.

// Returns true for a null without text: `key:`.
[[nodiscard]] bool is_missing(const Node& node);

// Returns true if a node ends with its tag or anchor, which would absorb a character directly after it.
[[nodiscard]] bool ends_with_property(const Node& node);

// Returns true if the `:` may directly follow the key.
[[nodiscard]] bool may_touch_colon(const Node& key);

// Returns the spans of a node's tag and anchor, in source order.
[[nodiscard]] std::vector<source::Span> properties_of(const Node& node);

// Returns true if every YAML reader reads the unquoted text as a string: a letter or `_`, then characters without
// special meaning; not a number, boolean or date.
[[nodiscard]] bool is_word(std::string_view text);

}  // namespace sparsecfg::format
