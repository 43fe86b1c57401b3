#pragma once

#include <istream>
#include <ostream>
#include <span>
#include <string>

namespace sparsecfg::cmd {

// Exit codes, the same for every command.
inline constexpr int kClean = 0;      // no errors
inline constexpr int kErrors = 1;     // errors found in a recipe
inline constexpr int kUsage = 2;      // wrong usage, unreadable input or unwritable output
inline constexpr int kInternal = 70;  // an internal error of sparsecfg

// Input and output streams of a command, so that tests can run commands in their own process.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool color = false;                   // true if colors may be written to `out`
  std::size_t columns = 80;             // width of the terminal
  bool terminal = false;                // true if `out` is a terminal
  bool utf8 = false;                    // true if the terminal shows characters beyond ASCII
  bool progress = false;                // true if `err` is a terminal, which then shows the progress of long outputs
  const char* default_format = "text";  // format of `validate` without --format
  bool wraps = false;                   // true if lines of text are wrapped to `columns`
  bool verbose = false;                 // --verbose
  bool quiet = false;                   // --quiet
  std::string docs{};                   // address of the documentation; empty for no links
};

// Runs one command line (without the program name) and returns the exit code.
[[nodiscard]] int run(std::span<const std::string> arguments, const Streams& streams);

// Runs one command line with the default settings of `Streams`.
[[nodiscard]] inline int run(std::span<const std::string> arguments, std::istream& in, std::ostream& out,
                             std::ostream& err) {
  return run(arguments, Streams{in, out, err});
}

}  // namespace sparsecfg::cmd
