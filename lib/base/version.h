#pragma once

#include <string_view>

namespace sparsecfg::base {

// Returns the project version from CMakeLists.txt, such as "0.3.0".
[[nodiscard]] std::string_view version();

}  // namespace sparsecfg::base
