#pragma once

#include <charconv>

namespace sparsecfg::platform {

// Behaves like std::from_chars() of a double, which the standard library of WebAssembly lacks.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

}  // namespace sparsecfg::platform
