#include "platform/process.h"

namespace sparsecfg::platform {

// WASI has no processes.
bool can_run_programs() { return false; }

std::vector<std::string> environment_variables() { return {}; }

std::optional<Finished> run_program(const std::vector<std::string>&, const std::vector<std::string>&, std::size_t) {
  return std::nullopt;
}

}  // namespace sparsecfg::platform
