#pragma once

#include <cstddef>

namespace sparsecfg::platform {

// Returns true if the file descriptor is a terminal.
[[nodiscard]] bool is_terminal(int descriptor);

// Returns the width of a terminal in columns, and 80 if it is not known.
[[nodiscard]] std::size_t terminal_columns(int descriptor);

}  // namespace sparsecfg::platform
