#include "platform/system.h"

#include <fast_float/fast_float.h>
#include <sys/random.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sparsecfg::platform {

// A WASI program starts at the root. The launcher sets PWD to its working folder.
void prepare_process() {
  if (const char* folder = std::getenv("PWD")) {
    static_cast<void>(::chdir(folder));
  }
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) != 0; }

// WASI has no ioctl(). The launcher sets COLUMNS to the width of its terminal.
std::size_t terminal_columns(int) {
  const char* value = std::getenv("COLUMNS");
  const std::string_view text = value != nullptr ? value : "";
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() && columns > 0 ? columns : 80;
}

// No thread can be started.
std::size_t cores() { return 1; }

std::uint64_t random_number() {
  std::uint64_t number = 0;
  return ::getentropy(&number, sizeof number) == 0 ? number : 0;
}

// WASI has no processes.
bool can_run_programs() { return false; }

std::vector<std::string> environment_variables() { return {}; }

std::optional<Finished> run_program(const std::vector<std::string>&, const std::vector<std::string>&, std::size_t) {
  return std::nullopt;
}

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  const fast_float::from_chars_result result = fast_float::from_chars(first, last, value);
  return {result.ptr, result.ec};
}

}  // namespace sparsecfg::platform
