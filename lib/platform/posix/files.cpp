#include "platform/files.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <mutex>
#include <vector>

namespace sparsecfg::platform {

using AttributeResult = std::optional<AttributeError>;

// Attributes that the system sets on each file need not be copied.
static bool copy_attribute(const std::string& from, int to, const char* name) {
  const ssize_t size = ::getxattr(from.c_str(), name, nullptr, 0);
  std::vector<char> value(size > 0 ? static_cast<std::size_t>(size) : 0);
  const bool read = size >= 0 && ::getxattr(from.c_str(), name, value.data(), value.size()) == size;
  return (read && ::fsetxattr(to, name, value.data(), value.size(), 0) == 0) ||
         std::string_view(name).starts_with("security.");
}

static AttributeResult copy_extended_attributes(const std::string& from, int to) {
  const ssize_t size = ::listxattr(from.c_str(), nullptr, 0);
  std::vector<char> names(size > 0 ? static_cast<std::size_t>(size) : 0);
  const ssize_t length = names.empty() ? 0 : ::listxattr(from.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < length;) {
    const std::string name(names.data() + at);
    if (!copy_attribute(from, to, name.c_str())) {
      return AttributeError{0, fmt::format("cannot preserve its extended attribute {}", name)};
    }
    at += static_cast<ssize_t>(name.size()) + 1;
  }
  return std::nullopt;
}

// The owner is set first, because changing the owner clears mode bits.
AttributeResult copy_attributes(const std::string& from, const struct stat& status, int to) {
  struct stat own {};

  if (::fstat(to, &own) != 0) {
    return AttributeError{errno, ""};
  }
  const bool same_owner = own.st_uid == status.st_uid && own.st_gid == status.st_gid;
  if (!same_owner && ::fchown(to, status.st_uid, status.st_gid) != 0) {
    return AttributeError{0, "cannot preserve its owner or group"};
  }
  if (::fchmod(to, status.st_mode & 07777) != 0) {
    return AttributeError{errno, ""};
  }
  return copy_extended_attributes(from, to);
}

AttributeResult refuses_replacement(const std::string& path, const struct stat& status) {
  if ((status.st_mode & 0222) == 0) {
    return AttributeError{0, "the file is read-only"};
  }
  if (status.st_nlink > 1) {
    return AttributeError{0, "the file has several hard links, which writing would separate"};
  }
  if (::access(path.c_str(), W_OK) != 0) {
    return AttributeError{errno, ""};
  }
  if (::geteuid() != 0 && status.st_uid != ::geteuid()) {
    return AttributeError{0, "the file belongs to another user"};
  }
  return std::nullopt;
}

bool is_writable_by_others(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && status.st_uid != ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// The path of the temporary file, which is removed on interruption. Empty if no file is being written.
static char unfinished_path[4096];
static std::mutex unfinished_mutex;

constexpr int kTerminatingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Calls only async-signal-safe functions.
static void remove_unfinished(int signal) {
  if (unfinished_path[0] != '\0') ::unlink(unfinished_path);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  ::_exit(128 + signal);  // process 1 of a container does not terminate by a signal
}

struct RemovalOnSignal::State {
  std::lock_guard<std::mutex> lock{unfinished_mutex};
  struct sigaction before[std::size(kTerminatingSignals)]{};
};

RemovalOnSignal::RemovalOnSignal(const std::string& path) : state_(std::make_unique<State>()) {
  if (path.size() < sizeof unfinished_path) {
    path.copy(unfinished_path, path.size());
    unfinished_path[path.size()] = '\0';
  }
  for (std::size_t at = 0; at < std::size(kTerminatingSignals); ++at) {
    struct sigaction action {};

    action.sa_handler = remove_unfinished;
    ::sigaction(kTerminatingSignals[at], nullptr, &state_->before[at]);
    if (state_->before[at].sa_handler != SIG_IGN) ::sigaction(kTerminatingSignals[at], &action, nullptr);
  }
}

RemovalOnSignal::~RemovalOnSignal() {
  for (std::size_t at = 0; at < std::size(kTerminatingSignals); ++at) {
    ::sigaction(kTerminatingSignals[at], &state_->before[at], nullptr);
  }
  unfinished_path[0] = '\0';
}

}  // namespace sparsecfg::platform
