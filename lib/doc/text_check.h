#pragma once

#include "diag/sink.h"
#include "doc/yaml_reader.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Whether PyYAML would begin to read `part` of the file at all: its size, its encoding and its
// characters. Reports one error where not, and warns of what is read past or hides from the eye.
[[nodiscard]] bool check_text(const source::SourceFile& file, source::Span part, const Limits& limits,
                              diag::Sink& sink);

// The part without the byte-order mark that may begin the file.
[[nodiscard]] source::Span without_mark(const source::SourceFile& file, source::Span part);

}  // namespace sparsecfg::doc
