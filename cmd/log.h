#pragma once

#include <string>

namespace sparsecfg::cmd {

// A line about the work itself, to standard error, for --verbose. Never about a recipe's faults.
void log(const std::string& line);

}  // namespace sparsecfg::cmd
