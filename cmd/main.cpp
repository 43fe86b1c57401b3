#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cmd/cli.h"

static std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static bool terminal_has_color() {
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0');
}

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> arguments(words + 1, words + count);
  try {
    return sparsecfg::cmd::run(arguments, {std::cin, std::cout, std::cerr, terminal_has_color(), terminal_columns(),
                                           isatty(STDERR_FILENO) != 0});
  } catch (const std::exception& fault) {
    std::cerr << "sparsecfg: internal error: " << fault.what() << "\n";
    return sparsecfg::cmd::kInternal;
  }
}
