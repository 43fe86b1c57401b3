#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The process, its terminal, other programs, and functions that some standard libraries lack.
namespace sparsecfg::platform {

// Prepares the process for the command line. Called once, before anything else.
void prepare_process();

// Returns true if the file descriptor is a terminal.
[[nodiscard]] bool is_terminal(int descriptor);

// Returns the width of a terminal in columns, and 80 if it is not known.
[[nodiscard]] std::size_t terminal_columns(int descriptor);

// Returns the number of threads that can run concurrently: the cores available to this process.
[[nodiscard]] std::size_t cores();

// Returns a random number. Falls back to the process ID if the system has no random bytes.
[[nodiscard]] std::uint64_t random_number();

struct Finished {
  int status = 0;  // exit code
  std::string out;
  std::string err;
};

// Returns true if the platform can run other programs.
[[nodiscard]] bool can_run_programs();

// Returns the environment variables of this process, each as NAME=VALUE.
[[nodiscard]] std::vector<std::string> environment_variables();

// Runs a program that is searched in PATH, without a shell and with an empty standard input. Stores little more than
// `max_bytes` of each output. Returns nullopt if the program does not exist.
[[nodiscard]] std::optional<Finished> run_program(const std::vector<std::string>& words,
                                                  const std::vector<std::string>& environment, std::size_t max_bytes);

// Behaves like std::from_chars() of a double, which the standard library of WebAssembly lacks.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

}  // namespace sparsecfg::platform
