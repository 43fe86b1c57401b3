#pragma once

#include <istream>
#include <ostream>
#include <span>
#include <string>

namespace sparsecfg::cmd {

// Exit statuses, the same for every command.
inline constexpr int kClean = 0;      // nothing at error level
inline constexpr int kErrors = 1;     // errors found in a recipe
inline constexpr int kUsage = 2;      // wrong usage, unreadable input, unwritable output
inline constexpr int kInternal = 70;  // an internal error of sparsecfg

// What a command talks through, so that tests can run it in their own process.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool color = false;                   // true if `out` may be coloured
  std::size_t columns = 80;             // width of the terminal
  bool terminal = false;                // true if `out` is a terminal
  bool progress = false;                // true if `err` is a terminal on which the progress of long outputs is shown
  const char* default_format = "text";  // of `validate`, unless --format says otherwise
  bool verbose = false;                 // --verbose
  bool quiet = false;                   // --quiet
};

// Runs one command line, without the program's name, and returns its exit status.
[[nodiscard]] int run(std::span<const std::string> arguments, const Streams& streams);

// The same with plain streams.
[[nodiscard]] inline int run(std::span<const std::string> arguments, std::istream& in, std::ostream& out,
                             std::ostream& err) {
  return run(arguments, Streams{in, out, err});
}

}  // namespace sparsecfg::cmd
