#pragma once

#include "convert/convert.h"

namespace sparsecfg::convert {

// The file with its recipe in the canonical form of its own dialect; of a Markdown file only the recipe
// changes. `conversion` says how it went.
[[nodiscard]] std::string normalized(const source::SourceFile& file, const Conversion& conversion);

}  // namespace sparsecfg::convert
