#include "platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace sparsecfg::platform {

bool is_terminal(int descriptor) { return ::isatty(descriptor) != 0; }

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace sparsecfg::platform
