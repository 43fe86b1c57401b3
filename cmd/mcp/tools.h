#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/command_line.h"

// The tools of the Model Context Protocol: commands that only read.
namespace sparsecfg::cmd::mcp {

using Json = nlohmann::json;

// Runs a command line with the content of standard input, and returns its exit status and outputs.
struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

using Runner = std::function<Ran(const std::vector<std::string>& arguments, const std::string& input)>;

// A fault of the arguments of a call, as a sentence without a period.
struct InvalidArguments {
  std::string what;
};

// Returns all tools with the schemas of their inputs and outputs. `commands`: those of the program.
[[nodiscard]] Json list_tools(const std::vector<Command>& commands);

// Runs a tool and returns its result. Throws InvalidArguments for an unknown tool, an option that the tool does not
// have, and a path outside of the current folder.
[[nodiscard]] Json call_tool(const std::vector<Command>& commands, const std::string& name, const Json& arguments,
                             const Runner& run);

}  // namespace sparsecfg::cmd::mcp
