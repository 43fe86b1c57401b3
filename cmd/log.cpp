#include "cmd/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace sparsecfg::cmd {

// Made at the first line, so that a run that logs nothing pays nothing.
void log(const std::string& line) {
  static const auto logger = [] {
    auto made = spdlog::stderr_logger_mt("sparsecfg");
    made->set_pattern("[%T.%e] %v");
    return made;
  }();
  logger->info(line);
}

}  // namespace sparsecfg::cmd
