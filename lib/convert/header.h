#pragma once

#include <string>

#include "source/source_file.h"

namespace sparsecfg::convert {

// The comments at the head of a recipe, each on a line of its own and what stands between them and the
// recipe as one empty line. Empty where there are none.
[[nodiscard]] std::string header_of(const source::SourceFile& file);

}  // namespace sparsecfg::convert
