#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::base {

// Returns the project version from CMakeLists.txt, such as "0.3.0".
[[nodiscard]] std::string_view version();

// Returns the version with the commit and its date if they are known: "0.3.0 (1cbd2f4408 2026-11-24)".
[[nodiscard]] std::string long_version();

// Returns the address of the documentation, with a `/` at the end. Empty if neither the
// environment nor the build sets SPARSECFG_DOCS_URL.
[[nodiscard]] std::string docs_address();

}  // namespace sparsecfg::base
