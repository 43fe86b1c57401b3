#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sparsecfg::platform {

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

}  // namespace sparsecfg::platform
