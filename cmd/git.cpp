#include "cmd/git.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/text.h"
#include "source/descriptor.h"

extern char** environ;

namespace sparsecfg::cmd {

// Returns the two descriptors of a new pipe, or -1 for both if the pipe cannot be created.
static std::array<int, 2> open_pipe() {
  std::array<int, 2> ends = {-1, -1};
  return ::pipe2(ends.data(), O_CLOEXEC) == 0 ? ends : std::array<int, 2>{-1, -1};
}

struct Pipe {
  std::array<int, 2> ends = open_pipe();
  source::Descriptor reading{ends[0]};
  source::Descriptor writing{ends[1]};
};

struct Finished {
  int status = 0;  // exit code
  std::string out;
  std::string err;
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

// Runs a program that is searched in PATH. Returns nullopt if it does not exist.
static std::optional<Finished> spawn_and_read(const std::vector<std::string>& words, std::size_t max_bytes) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
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
  const int failure = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return std::nullopt;
  }
  static_cast<void>(out.writing.close());
  static_cast<void>(err.writing.close());
  Finished result;
  read_all(out, err, max_bytes, result);
  int status = 0;
  source::uninterrupted([&] { return ::waitpid(child, &status, 0); });
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return result;
}

static std::string first_line(const std::string& text) {
  return base::printable(base::trim(std::string_view(text).substr(0, text.find('\n'))));
}

std::variant<std::string, GitFailure> show_revision(const std::string& revision, const std::string& path,
                                                    std::size_t max_bytes) {
  const std::filesystem::path file(path);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  const std::string object = fmt::format("{}:./{}", revision, file.filename().string());
  const auto finished = spawn_and_read({"git", "-C", folder, "show", "--no-textconv", object}, max_bytes);
  if (!finished || finished->status == 127) {
    return GitFailure{"no such file; git is not installed, so the name cannot be a revision"};
  }
  if (finished->status != 0) {
    return GitFailure{fmt::format("neither a file nor a git revision: {}", first_line(finished->err))};
  }
  if (finished->out.size() > max_bytes) {
    return GitFailure{fmt::format("the file in that revision is larger than {} bytes", max_bytes)};
  }
  return finished->out;
}

}  // namespace sparsecfg::cmd
