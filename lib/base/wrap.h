#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparsecfg::base {

// Wraps a printable text at spaces so that no line exceeds `columns` terminal columns. The first line starts at column
// `indent`, and all further lines are indented to it. Text in backticks and words longer than a line are not broken.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

}  // namespace sparsecfg::base
