#pragma once

#include <string_view>

namespace sparsecfg::base {

// The version of the project, "0.2.0", as CMakeLists.txt states it.
[[nodiscard]] std::string_view version();

}  // namespace sparsecfg::base
