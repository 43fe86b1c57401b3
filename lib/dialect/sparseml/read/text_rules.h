#pragma once

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// SparseML finds the tags of a recipe in its text, before YAML is parsed (reference A.3). These
// are the rules that follow from it, each a diagnostic of its own: what it can't see as a tag
// (SP017), takes for a key (SP018, SP023, SP024), refuses (SP012) or rewrites (SP019).
// `part` is the text that SparseML loads: the file, or its front matter.
// The releases of 2020 only put `pytorch.` into tags, and leave alone what has it.
void check_text(const source::SourceFile& file, source::Span part, const doc::Document& document, Framework framework,
                diag::Sink& sink);

// Whether a node carries a tag that SparseML reads as a modifier's: `!` and a name of letters,
// digits, `_`, `.` and `^`, without a `.` anywhere after the `!` on its line.
[[nodiscard]] bool is_modifier_tag(const source::SourceFile& file, const doc::Node& node);

// Whether such a tag is the first thing on its line: below a key that makes a list of one modifier.
[[nodiscard]] bool is_lone_modifier(const source::SourceFile& file, const doc::Node& node);

}  // namespace sparsecfg::dialect::sparseml
