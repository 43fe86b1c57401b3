#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::ai8x {

// Keys of policies that are not rows of a table.
inline constexpr LayoutWord kLayoutWords[] = {
    {"elastic_kernel", "First stage of a NAS policy: smaller kernels."},
    {"elastic_depth", "Second stage of a NAS policy: fewer layers."},
    {"elastic_width", "Third stage of a NAS policy: fewer channels."},
};

}  // namespace sparsecfg::dialect::ai8x
