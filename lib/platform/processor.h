#pragma once

#include <cstddef>

namespace sparsecfg::platform {

// Returns the number of threads that can run concurrently: the cores available to this process.
[[nodiscard]] std::size_t cores();

}  // namespace sparsecfg::platform
