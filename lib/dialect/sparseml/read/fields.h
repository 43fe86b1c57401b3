#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "dialect/custom.h"
#include "dialect/options.h"
#include "dialect/sparseml/read/layout.h"
#include "dialect/sparseml/read/modifier.h"
#include "dialect/sparseml/read/variables.h"
#include "doc/document.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml {

// Returns the reader that a recipe was written for. This is `asked`, or the reader of 2020 if `asked` is PyTorch and
// the recipe has a tag that only the reader of 2020 accepts. Reports every such tag (DP911) and, once, a mix with tags
// of later releases (DP912).
[[nodiscard]] Framework detect_release(const doc::Document& document, Framework asked, diag::Sink& sink);

// Returns the modifier name of a tag: the tag without its `!`. For the 2020 releases also without `!pytorch.`, which
// those releases write.
[[nodiscard]] std::string_view modifier_name(const doc::Node& node, Framework framework);

// Returns the current name of a modifier of 2020, or nullopt for any other name.
[[nodiscard]] std::optional<std::string_view> modern_name(std::string_view name);

// Checks how SparseML rewrites tags in the recipe source before it parses YAML (docs/semantics/sparseml.md#a2). Reports
// tags that it does not recognize (SP017), reads as keys (SP018, SP023, SP024) or rejects (SP012), and strings that it
// rewrites (SP019). `part` is the text that SparseML loads: the file, or its front matter. The 2020 releases only
// insert `pytorch.` into tags that do not have it.
void check_text(const source::SourceFile& file, source::Span part, const doc::Document& document, Framework framework,
                diag::Sink& sink);

// Returns true if a node has a tag that SparseML reads as a modifier: `!` and a name of letters, digits, `_`, `.` and
// `^`, without any `.` after the `!` on the same line.
[[nodiscard]] bool is_modifier_tag(const source::SourceFile& file, const doc::Node& node);

// Returns true if such a tag begins its line. Below a key, this is a list with one modifier.
[[nodiscard]] bool is_lone_modifier(const source::SourceFile& file, const doc::Node& node);

// The inputs shared by all functions that read modifiers.
struct Context {
  const source::SourceFile& file;
  const doc::Document& document;
  Variables& variables;
  Framework framework;
  diag::Sink& sink;
  const CustomClasses* custom = nullptr;          // classes of the project, or null
  const model::ModelNames* parameters = nullptr;  // of the model; null if unknown
};

// Returns true if the class is unknown, so the modifier may do anything.
[[nodiscard]] bool is_opaque(const Modifier& modifier);

// Returns true if SparseML reads the `!` at `at` and the word after it as a tag, in a string too.
[[nodiscard]] bool is_rewritten_at(std::string_view text, std::size_t at);

// Reads an item of a group as a modifier. Reports fields that are unknown, missing, of the wrong type or out of bounds.
// Reports an item that is not a known modifier and returns nullopt for it.
[[nodiscard]] std::optional<Modifier> read_modifier(const Context& context, doc::NodeId item, const Group& group,
                                                    int ordinal);

// Checks the fields that are used only when the modifier acts. The modifier must be valid and start within the run.
// Marks it as invalid if a value is rejected.
void check_late_values(const source::SourceFile& file, Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
