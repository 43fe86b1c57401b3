// Whole processes run beside each other, and what they take.
#pragma once
#include <string>
#include <vector>

namespace sparsecfg::bench {

using Command = std::vector<std::string>;  // a program's path and its arguments

// What processes that run at the same time take, from the start of the first to the end of the last.
struct Usage {
  double cpu = 0;      // seconds in the program and in the kernel, of all threads
  double elapsed = 0;  // seconds
  long kilobytes = 0;  // most memory of one of them
};

// Runs a command with its output thrown away, on all cores or on the one of that number.
Usage run(const Command& command, int core = -1);

// Runs the same command on core 0 and on core 1 at once, as two processes that know nothing of each other do: no
// program that divides one run between these cores can gain more than they do.
Usage run_twice(const Command& command);

double median(std::vector<double> values);

// How many times as fast a command is on all cores as on one, and as two of its processes are side by side as one after
// the other; medians of some rounds.
struct Speedup {
  double threads = 0;
  double processes = 0;
};

Speedup speedup(const Command& command, int rounds);

}  // namespace sparsecfg::bench
