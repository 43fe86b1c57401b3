#pragma once

#include "source/source_file.h"

namespace sparsecfg {

// Returns true if two files and the files that they use have equal texts, or if two scripts differ only in comments and
// white space.
[[nodiscard]] bool is_same_code(const source::SourceFile& before, const source::SourceFile& after);

}  // namespace sparsecfg
