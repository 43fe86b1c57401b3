#include <sstream>

#include "cmd/commands.h"
#include "cmd/mcp/server.h"
#include "cmd/options.h"

namespace sparsecfg::cmd {

// Runs a command line in this process.
static mcp::Ran run_in_process(const std::vector<std::string>& arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int status = run(arguments, in, out, err);
  return {status, out.str(), err.str()};
}

Command mcp_command() {
  Command command{"mcp", "Run a server of the Model Context Protocol, for coding agents", "", ""};
  command.run = [](const std::vector<std::string>&, const Streams& streams) {
    std::vector<Command> commands;
    for (const auto& make : {validate_command, explain_command, inspect_command, match_command, timeline_command,
                             diff_command, convert_command, create_command}) {
      commands.push_back(make());
    }
    return mcp::serve(streams.in, streams.out, streams.err, commands, run_in_process);
  };
  return command;
}

}  // namespace sparsecfg::cmd
