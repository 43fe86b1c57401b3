#pragma once

#include <set>
#include <string>

#include "diag/sink.h"
#include "dialect/dialect.h"
#include "dialect/modelopt/library.h"
#include "source/source_file.h"
#include "source/value.h"

// Files with imports (docs/semantics/modelopt.md#b3).
namespace sparsecfg::dialect::modelopt {

// A file with its imports resolved.
struct Resolved {
  Schema schema = Schema::recipe;  // of the comment; recipe without a comment
  bool has_comment = false;
  source::Value content;              // without the key `imports`
  bool complete = true;               // false if an import was not resolved
  std::set<source::Span> unresolved;  // places of mappings that lack an import
};

// Returns the content of a file after resolving its imports. Reports imports that can't be resolved.
[[nodiscard]] Resolved resolve_imports(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns the part of a file that holds the content if a comment `# modelopt-schema:` identifies it, else nullopt. Only
// such a file may have a first document with imports.
[[nodiscard]] std::optional<source::Span> marked_part(const source::SourceFile& file);

// Gives all parts of a value, such as an imported one, the place that names it.
void move_to(source::Value& value, source::Span place);

// Returns true if a mapping was inserted by an import: all its parts have the place of the import.
[[nodiscard]] bool is_imported(const source::Value& value);

}  // namespace sparsecfg::dialect::modelopt
