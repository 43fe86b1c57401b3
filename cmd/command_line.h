#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.h"

// Reads command lines by a table of commands and options, from which the help texts are made, too.
namespace sparsecfg::cmd {

// An option. `set` takes the value, or "" for a flag, and returns what the value must be if it is wrong: "a number".
struct Option {
  std::string name;   // "--output"
  char letter = 0;    // 'o' for -o; 0: none
  std::string value;  // what the help calls the value, "OUT"; empty for a flag
  std::string doc;
  std::vector<std::string> choices;  // the values that there are; empty: any
  std::function<std::optional<std::string>(const std::string&)> set;
};

struct Command {
  std::string name;
  std::string doc;
  std::string operand;  // what follows the options, "FILE"; empty: nothing
  std::string operand_doc;
  std::size_t min_operands = 0;
  std::size_t max_operands = 0;
  std::vector<std::string> required{};  // names of options that must be given
  std::function<std::vector<Option>()> options = [] { return std::vector<Option>(); };  // made when they are needed
  std::function<int(const std::vector<std::string>& operands, const Streams& streams)> run{};
  std::vector<std::string> operand_choices{};  // the operands that there are, for the help; empty: any
};

struct Program {
  std::string name;
  std::string doc;
  std::vector<Command> commands;
  std::vector<Option> common;  // options of every command, accepted before the command too
};

// What a command line asks for, or what is wrong with it.
struct Parsed {
  const Command* command = nullptr;  // null if help, the version or nothing is asked for
  std::vector<std::string> operands;
  bool help = false;
  bool version = false;
  std::string error;  // empty: none
};

// Calls `set` of the options. Stops at the first error.
[[nodiscard]] Parsed parse_command_line(const Program& program, std::span<const std::string> arguments);

[[nodiscard]] std::string help_of(const Program& program);
[[nodiscard]] std::string help_of(const Program& program, const Command& command);

}  // namespace sparsecfg::cmd
