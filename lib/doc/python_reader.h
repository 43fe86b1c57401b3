#pragma once

#include <optional>

#include "diag/sink.h"
#include "doc/document.h"
#include "doc/yaml_reader.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Marks of what YAML has no form for.
inline constexpr std::string_view kScriptTag = "!python-script";      // the root
inline constexpr std::string_view kTupleTag = "!python-tuple";        // a sequence that is no list: a tuple or a set
inline constexpr std::string_view kNotLiteralTag = "!not-a-literal";  // a scalar in place of an expression
inline constexpr std::string_view kChangeTag = "!change";  // outside of the root: the key of a list that is changed

// The literals that a Python script assigns to names, as one mapping: all of its top level, of a name
// that is assigned again the last value, and lists wherever they stand, each by itself. The second
// list of a name has the key `name:12`, with the line. Nothing is run. An expression within a literal
// becomes a scalar that says so; a statement that changes a list later on leaves a node of its own.
// Everything else is passed over. Null, after a report, where the text can't be read at all.
[[nodiscard]] std::optional<Document> read_python(const source::SourceFile& file, const Limits& limits,
                                                  diag::Sink& sink);

}  // namespace sparsecfg::doc
