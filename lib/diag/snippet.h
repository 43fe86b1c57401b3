#pragma once

#include <cstddef>
#include <string>

#include "diag/diagnostic.h"
#include "diag/painter.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

// The lines of the recipe that a diagnostic speaks of, numbered, with `^^^^` under its place and
// `----` under its labels, each followed by its text. Lines that are not neighbours are parted by
// `...`; of a span over several lines the first line is marked. An empty text has no lines.
struct Snippet {
  std::size_t gutter;  // columns of the line numbers, which the lines around the snippet align to
  std::string text;
};

[[nodiscard]] Snippet render_snippet(const source::SourceFile& file, const Diagnostic& diagnostic, const Painter& paint,
                                     std::size_t columns);

}  // namespace sparsecfg::diag
