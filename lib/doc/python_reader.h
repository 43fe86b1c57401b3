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

// The literals that a Python script assigns to names at its top level, as one mapping from the names;
// of a name that is assigned again the last value. Nothing is run. Everything else is passed over; an
// expression within a literal becomes a scalar that says so. Null, after a report, where the text
// can't be read at all.
[[nodiscard]] std::optional<Document> read_python(const source::SourceFile& file, const Limits& limits,
                                                  diag::Sink& sink);

}  // namespace sparsecfg::doc
