#include "platform/terminal.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sparsecfg::platform {

bool is_terminal(int descriptor) { return ::isatty(descriptor) != 0; }

// WASI has no ioctl(). The launcher sets COLUMNS to the width of its terminal.
std::size_t terminal_columns(int) {
  const char* value = std::getenv("COLUMNS");
  const std::string_view text = value != nullptr ? value : "";
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() && columns > 0 ? columns : 80;
}

}  // namespace sparsecfg::platform
