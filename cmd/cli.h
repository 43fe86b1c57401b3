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
inline constexpr int kInternal = 70;  // a fault of sparsecfg itself

// What a command talks through, so that tests can run it in their own process.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool color = false;        // whether `out` may be coloured
  std::size_t columns = 80;  // width of the terminal
  bool progress = false;     // whether `err` is a terminal that may be shown how far a long output is
};

// Runs one command line, without the program's name, and answers its exit status.
[[nodiscard]] int run(std::span<const std::string> arguments, const Streams& streams);

// The same with plain streams.
[[nodiscard]] inline int run(std::span<const std::string> arguments, std::istream& in, std::ostream& out,
                             std::ostream& err) {
  return run(arguments, Streams{in, out, err});
}

}  // namespace sparsecfg::cmd
