#include "cmd/git.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
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

static std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// Waits for a child. Returns its exit status, and 1 if it was killed or if there is no status to be had.
static int wait_for(pid_t child) {
  int status = 0;
  const pid_t ended = source::uninterrupted([&] { return ::waitpid(child, &status, 0); });
  return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Runs a program that is searched in PATH. Returns nullopt if it does not exist.
static std::optional<Finished> spawn_and_read(const std::vector<std::string>& words,
                                              const std::vector<std::string>& environment, std::size_t max_bytes) {
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

static std::string first_line(const std::string& text) {
  return base::printable(base::trim(std::string_view(text).substr(0, text.find('\n'))));
}

// --- git --------------------------------------------------------------------------------------------

// The repository may be a stranger's, and its configuration can name programs (`core.sshCommand`, `core.fsmonitor`,
// hooks, credential helpers). These settings have precedence over that configuration.
constexpr std::string_view kSafeSettings[] = {
    "protocol.allow=never", "core.fsmonitor=false", "core.hooksPath=/dev/null",
    "credential.helper=",   "fetch.bundleURI=",     "safe.bareRepository=explicit"};
// Newer releases of git do not fetch missing objects with the first of these variables. The others are for older ones.
constexpr std::string_view kSafeEnvironment[] = {"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0",
                                                 "GIT_OPTIONAL_LOCKS=0"};

static bool replaces(std::string_view safe, std::string_view variable) {
  return variable.starts_with(safe.substr(0, safe.find('=') + 1));
}

static std::vector<std::string> safe_environment() {
  std::vector<std::string> out(std::begin(kSafeEnvironment), std::end(kSafeEnvironment));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const auto is_replaced = [&](std::string_view safe) { return replaces(safe, *variable); };
    if (std::ranges::none_of(kSafeEnvironment, is_replaced)) out.emplace_back(*variable);
  }
  return out;
}

static std::optional<Finished> run_git(const std::string& folder, const std::vector<std::string>& command,
                                       std::size_t max_bytes) {
  std::vector<std::string> words = {"git", "--no-pager", "-C", folder};
  for (const std::string_view setting : kSafeSettings) words.insert(words.end(), {"-c", std::string(setting)});
  words.insert(words.end(), command.begin(), command.end());
  return spawn_and_read(words, safe_environment(), max_bytes);
}

static bool is_object_name(std::string_view text) {
  return text.size() >= 40 && std::ranges::all_of(text, [](char c) { return base::is_digit(c) || base::is_letter(c); });
}

// Returns the name of the object that a file has in a revision. `rev-list` is the one command that never fetches an
// object. With `--missing`, older releases of git fail at an object that a partial clone lacks, and newer ones print
// its name behind a question mark.
static std::variant<std::string, GitFailure> find_object(const std::string& folder, const std::string& place) {
  constexpr std::size_t kMaxOutput = 4096;
  const auto finished = run_git(
      folder, {"rev-list", "--no-walk", "--objects", "--missing=print", "--end-of-options", place, "--"}, kMaxOutput);
  if (!finished || finished->status == 127) {
    return GitFailure{"no such file; git is not installed, so the name cannot be a revision"};
  }
  if (finished->status != 0) {
    return GitFailure{fmt::format("neither a file nor a git revision: {}", first_line(finished->err))};
  }
  const std::string_view out = base::trim(finished->out);
  if (out.starts_with('?')) {
    return GitFailure{fmt::format("bad object {}: this clone lacks the file of that revision", out.substr(1))};
  }
  const std::string_view name = out.substr(0, out.find(' '));
  if (!is_object_name(name) || out.find('\n') != std::string_view::npos) {
    return GitFailure{"neither a file nor a single git revision"};
  }
  return std::string(name);
}

// Returns the size of an object; nullopt if git does not report one.
static std::optional<std::size_t> size_of_object(const std::string& folder, const std::string& object) {
  const auto finished = run_git(folder, {"cat-file", "-s", object}, 64);
  std::size_t size = 0;
  const std::string_view digits = finished && finished->status == 0 ? base::trim(finished->out) : std::string_view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(size) : std::nullopt;
}

std::variant<std::string, GitFailure> show_revision(const std::string& revision, const std::string& path,
                                                    std::size_t max_bytes) {
  if (revision.find("..") != std::string::npos) {
    return GitFailure{"neither a file nor a single git revision"};
  }
  const std::filesystem::path file(path);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  const auto object = find_object(folder, fmt::format("{}:./{}", revision, file.filename().string()));
  if (const auto* failure = std::get_if<GitFailure>(&object)) {
    return *failure;
  }
  const auto& name = std::get<std::string>(object);
  const auto size = size_of_object(folder, name);
  if (size && *size > max_bytes) {
    return GitFailure{fmt::format("the file in that revision is larger than {} bytes", max_bytes)};
  }
  auto finished = size ? run_git(folder, {"cat-file", "blob", name}, max_bytes) : std::nullopt;
  if (!finished || finished->status != 0 || finished->out.size() != *size) {
    return GitFailure{"git does not return the file of that revision"};
  }
  return std::move(finished->out);
}

}  // namespace sparsecfg::cmd
