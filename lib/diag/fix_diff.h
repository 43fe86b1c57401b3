#pragma once

#include <cstddef>
#include <string>

#include "diag/diagnostic.h"
#include "diag/painter.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

// Returns the lines that the fix of a finding removes and adds, each with the number of the line before the fix:
//
//   14 - targets: Linaer
//   14 + targets: Linear
//
// Returns an empty string if there is no fix, or if it changes the text of a notebook. `gutter` is the width of line
// numbers, `columns` the width of the output. The edits of the fix must be plain replacements (doc/fixes.h).
[[nodiscard]] std::string render_fix(const source::SourceFile& file, const Diagnostic& diagnostic, const Painter& paint,
                                     std::size_t gutter, std::size_t columns);

}  // namespace sparsecfg::diag
