#pragma once

#include <istream>
#include <ostream>
#include <vector>

#include "cmd/command_line.h"
#include "cmd/mcp/tools.h"

namespace sparsecfg::cmd::mcp {

// Serves the Model Context Protocol on standard input and output, one message per line, until the input ends. Returns
// the exit status. It writes no files and reads only below the current folder.
[[nodiscard]] int serve(std::istream& in, std::ostream& out, std::ostream& log, const std::vector<Command>& commands,
                        const Runner& run);

}  // namespace sparsecfg::cmd::mcp
