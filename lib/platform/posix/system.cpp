#include "platform/system.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "platform/files.h"

extern char** environ;

namespace sparsecfg::platform {

// A parent may have ignored SIGCHLD, which would lose the exit status of git.
void prepare_process() { std::signal(SIGCHLD, SIG_DFL); }

bool is_terminal(int descriptor) { return ::isatty(descriptor) != 0; }

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::size_t cores() {
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? static_cast<std::size_t>(CPU_COUNT(&mine))
                                                         : std::max(1U, std::thread::hardware_concurrency());
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    number = static_cast<std::uint64_t>(::getpid());
  }
  return number;
}

// Returns the two descriptors of a new pipe, or -1 for both if the pipe cannot be created.
static std::array<int, 2> open_pipe() {
  std::array<int, 2> ends = {-1, -1};
  return ::pipe2(ends.data(), O_CLOEXEC) == 0 ? ends : std::array<int, 2>{-1, -1};
}

struct Pipe {
  std::array<int, 2> ends = open_pipe();
  Descriptor reading{ends[0]};
  Descriptor writing{ends[1]};
};

// Reads both pipes to the end. Stores little more than `max_bytes` of each.
static void read_all(const Pipe& out, const Pipe& err, std::size_t max_bytes, Finished& result) {
  std::array<pollfd, 2> waiting = {pollfd{out.reading.get(), POLLIN, 0}, pollfd{err.reading.get(), POLLIN, 0}};
  const std::array<std::string*, 2> texts = {&result.out, &result.err};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    for (std::size_t at = 0; at < waiting.size(); ++at) {
      if (waiting[at].fd < 0 || waiting[at].revents == 0) continue;
      std::array<char, 65536> bytes{};
      const ssize_t count = ::read(waiting[at].fd, bytes.data(), bytes.size());
      if (count <= 0 && errno != EINTR) waiting[at].fd = -1;
      if (count > 0 && texts[at]->size() <= max_bytes) texts[at]->append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
}

static std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// Waits for a child. Returns its exit status, and 1 if it was killed or if there is no status to be had.
static int wait_for(pid_t child) {
  int status = 0;
  const pid_t ended = uninterrupted([&] { return ::waitpid(child, &status, 0); });
  return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool can_run_programs() { return true; }

std::vector<std::string> environment_variables() {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
  return out;
}

std::optional<Finished> run_program(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                                    std::size_t max_bytes) {
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> variables = pointers_to(environment);
  Pipe out;
  Pipe err;
  posix_spawn_file_actions_t actions;
  if (!out.reading.is_open() || !err.reading.is_open() || ::posix_spawn_file_actions_init(&actions) != 0) {
    return std::nullopt;
  }
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.writing.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.writing.get(), 2);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return std::nullopt;
  }
  static_cast<void>(out.writing.close());
  static_cast<void>(err.writing.close());
  Finished result;
  read_all(out, err, max_bytes, result);
  result.status = wait_for(child);
  return result;
}

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}

}  // namespace sparsecfg::platform
