#pragma once

#include <string>

#include "source/source_file.h"

namespace sparsecfg::convert {

// The comments at the head of a recipe, each on a line of its own and what stands between them and the
// recipe as one empty line. Empty where there are none. For another dialect without those that speak to
// an editor or to sparsecfg.
[[nodiscard]] std::string header_of(const source::SourceFile& file, bool for_another);

}  // namespace sparsecfg::convert
