#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/sparseml/read/layout.h"
#include "dialect/sparseml/read/modifier.h"
#include "dialect/sparseml/read/variables.h"
#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// The reader that a recipe was written for: that of 2020 where PyTorch's is `asked` for and a tag
// stands in the recipe that only the one of 2020 knows, else the one asked for. Reports every such
// tag (DP911) and, once, that tags of later releases stand beside it (DP912).
[[nodiscard]] Framework detect_vintage(const doc::Document& document, Framework asked, diag::Sink& sink);

// The name of the modifier that a node's tag stands for: the tag without its `!`, and for the releases of 2020 without
// `!pytorch.`, which their own files have.
[[nodiscard]] std::string_view modifier_name(const doc::Node& node, Framework framework);

// What a modifier of 2020 has been called since; nothing for any other name.
[[nodiscard]] std::optional<std::string_view> modern_name(std::string_view name);

// SparseML finds the tags of a recipe in its text, before YAML is parsed (reference A.3). These
// are the rules that follow from it, each a diagnostic of its own: what it can't see as a tag
// (SP017), takes for a key (SP018, SP023, SP024), refuses (SP012) or rewrites (SP019).
// `part` is the text that SparseML loads: the file, or its front matter.
// The releases of 2020 only put `pytorch.` into tags, and leave alone what has it.
void check_text(const source::SourceFile& file, source::Span part, const doc::Document& document, Framework framework,
                diag::Sink& sink);

// Returns true if a node carries a tag that SparseML reads as a modifier's: `!` and a name of letters,
// digits, `_`, `.` and `^`, without a `.` anywhere after the `!` on its line.
[[nodiscard]] bool is_modifier_tag(const source::SourceFile& file, const doc::Node& node);

// Returns true if such a tag is the first thing on its line: below a key that makes a list of one modifier.
[[nodiscard]] bool is_lone_modifier(const source::SourceFile& file, const doc::Node& node);

// The inputs that all readers of modifiers share.
struct Reading {
  const source::SourceFile& file;
  const doc::Document& document;
  Variables& variables;
  Framework framework;
  diag::Sink& sink;
};

// Reads an item of a group as the modifier that its tag names and checks every field by its row
// of the table: known, given where required, of the right type and within its bounds. Nothing
// where the item is not a modifier that SparseML knows; that is then reported.
[[nodiscard]] std::optional<Modifier> read_modifier(const Reading& reading, doc::NodeId item, const Group& group,
                                                    int ordinal);

// Checks a field's value by its row of the table: type, choices and bounds. Reports what the
// framework refuses or fails on and marks such a field as not valid.
void check_value(const Reading& reading, const Modifier& modifier, Field& field);

// The same for the fields of a valid modifier that no one looks at before it acts. The modifier must start within the
// run; if a value is refused it is not valid any more.
void check_late_values(const source::SourceFile& file, Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
