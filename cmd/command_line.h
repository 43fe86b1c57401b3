#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.h"

// Parses command lines according to a table of commands and options. The help comes from the same table.
namespace sparsecfg::cmd {

// An option. `set` stores the value ("" for a flag). It returns a description of the accepted values, such as "a
// number", if the value is invalid.
struct Option {
  std::string name;   // "--output"
  char letter = 0;    // 'o' for -o; 0 means no letter
  std::string value;  // placeholder of the value in the help, "OUT"; empty for a flag
  std::string doc;
  std::vector<std::string> choices;  // accepted values; empty means any value
  std::function<std::optional<std::string>(const std::string&)> set;
  std::string alias{};  // a second name, "--output-format"; empty means none
};

struct Command {
  std::string name;
  std::string doc;
  std::string operand;  // placeholder of the operands, "FILE"; empty if the command accepts none
  std::string operand_doc;
  std::size_t min_operands = 0;
  std::size_t max_operands = 0;
  std::vector<std::string> required{};                                                  // names of required options
  std::function<std::vector<Option>()> options = [] { return std::vector<Option>(); };  // called only when needed
  std::function<int(const std::vector<std::string>& operands, const Streams& streams)> run{};
  std::vector<std::string> operand_choices{};  // accepted operands, listed in the help; empty means any
  std::vector<std::string> examples{};         // command lines without the program name
};

// Another name of a command, with options that it implies.
struct Alias {
  std::string name;
  std::string command;
  std::vector<std::string> options{};
  std::vector<std::string> unless{};  // arguments with which it implies no options
};

struct Program {
  std::string name;
  std::string doc;
  std::vector<Command> commands;
  std::vector<Alias> aliases;
  std::vector<Option> common;  // options of every command, also accepted before the command
};

// Result of parsing a command line: the command to run, a request for help or the version, or an error.
struct Parsed {
  const Command* command = nullptr;  // null if the command line names no command
  std::vector<std::string> operands;
  bool help = false;
  bool help_all = false;  // true if the help also lists rare options
  std::string dialect{};  // value of --from, whose options the help lists
  bool version = false;
  std::string error;  // empty if the command line is valid
};

// Parses a command line and calls `set` of each option in it. Stops at the first error.
[[nodiscard]] Parsed parse_command_line(const Program& program, std::span<const std::string> arguments);

// Return the help of the program, and of the command that the command line names, wrapped to `columns`.
[[nodiscard]] std::string help_of(const Program& program, std::size_t columns);
[[nodiscard]] std::string help_of(const Program& program, const Parsed& parsed, std::size_t columns);

}  // namespace sparsecfg::cmd
