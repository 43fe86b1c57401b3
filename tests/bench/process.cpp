#include "tests/bench/process.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

extern char** environ;

namespace sparsecfg::bench {

using Clock = std::chrono::steady_clock;

static double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// This process stays on one core while it starts a child, which keeps that.
class OnCore {
 public:
  explicit OnCore(int core) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t only{};
    CPU_SET(core < 0 ? 0 : core, &only);
    if (core >= 0) sched_setaffinity(0, sizeof only, &only);
  }

  ~OnCore() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

static pid_t start(const Command& command, int core) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const OnCore on_core(core);
  pid_t child = 0;
  if (posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ) != 0) {
    std::fprintf(stderr, "%s can't be run\n", words[0]);
    std::exit(1);
  }
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

static void wait_for(pid_t child, const Command& command, Usage& out) {
  rusage used{};
  int status = 0;
  wait4(child, &status, 0, &used);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    std::fprintf(stderr, "failed: %s %s\n", command[0].c_str(), command.size() > 1 ? command[1].c_str() : "");
    std::exit(1);
  }
  out.cpu += seconds(used.ru_utime) + seconds(used.ru_stime);
  out.kilobytes = std::max(out.kilobytes, used.ru_maxrss);
}

static Usage run_on(const Command& command, const std::vector<int>& cores) {
  Usage out;
  const auto begin = Clock::now();
  std::vector<pid_t> children;
  for (const int core : cores) children.push_back(start(command, core));
  for (const pid_t child : children) wait_for(child, command, out);
  out.elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  return out;
}

Usage run(const Command& command, int core) { return run_on(command, {core}); }

Usage run_twice(const Command& command) { return run_on(command, {0, 1}); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Speedup speedup(const Command& command, int rounds) {
  std::vector<double> threads, processes;
  for (int round = 0; round < rounds; ++round) {
    const double one = (run(command, 0).elapsed + run(command, 1).elapsed) / 2;
    threads.push_back(one / run(command).elapsed);
    processes.push_back(2 * one / run_twice(command).elapsed);
  }
  return {median(threads), median(processes)};
}

}  // namespace sparsecfg::bench
