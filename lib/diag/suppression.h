#pragma once

#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

// Takes away the findings that comments of the file accept:
//
//     end_epoch: 10.0  # sparsecfg: ignore[SP202] the paper stops here too
//
// in the line that is shown, or alone in a line above it. A comment without a reason, of a code that
// is none, or that accepts nothing is itself a finding (SP035). `comments` are their places in the file.
void suppress(std::vector<Diagnostic>& diagnostics, const source::SourceFile& file,
              const std::vector<source::Span>& comments);

}  // namespace sparsecfg::diag
