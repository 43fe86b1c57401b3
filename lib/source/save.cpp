#include "source/save.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <vector>

#include "source/descriptor.h"
#include "source/load.h"

namespace sparsecfg::source {

// The path of the temporary file, which is removed on interruption. Empty if no file is being written.
static char unfinished_path[4096];
static std::mutex unfinished_mutex;

// Calls only async-signal-safe functions.
static void remove_unfinished(int signal) {
  if (unfinished_path[0] != '\0') ::unlink(unfinished_path);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  ::_exit(128 + signal);  // process 1 of a container does not terminate by a signal
}

namespace {

// During its lifetime, terminating signals also remove the temporary file. Ignored signals stay ignored.
class RemovalOnSignal {
 public:
  explicit RemovalOnSignal(const std::string& path) : lock_(unfinished_mutex) {
    if (path.size() < sizeof unfinished_path) {
      path.copy(unfinished_path, path.size());
      unfinished_path[path.size()] = '\0';
    }
    for (std::size_t at = 0; at < std::size(kSignals); ++at) {
      struct sigaction action {};

      action.sa_handler = remove_unfinished;
      ::sigaction(kSignals[at], nullptr, &before_[at]);
      if (before_[at].sa_handler != SIG_IGN) ::sigaction(kSignals[at], &action, nullptr);
    }
  }

  RemovalOnSignal(const RemovalOnSignal&) = delete;
  RemovalOnSignal& operator=(const RemovalOnSignal&) = delete;

  ~RemovalOnSignal() {
    for (std::size_t at = 0; at < std::size(kSignals); ++at) {
      ::sigaction(kSignals[at], &before_[at], nullptr);
    }
    unfinished_path[0] = '\0';
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

  std::lock_guard<std::mutex> lock_;
  struct sigaction before_[std::size(kSignals)]{};
};

// An existing file at the path of an output.
struct Target {
  std::string path;  // with all symbolic links resolved

  struct stat status {};

  bool exists = false;
};

// The reason why an operation is not possible; nullopt on success.
using Refusal = std::optional<std::string>;

}  // namespace

// Returns the reason why a file can't be replaced without changing more than its contents.
static Refusal obstacle(const Target& target) {
  if (auto reason = refusal(target.status.st_mode)) {
    return reason;
  }
  if ((target.status.st_mode & 0222) == 0) {
    return "the file is read-only";
  }
  if (target.status.st_nlink > 1) {
    return "the file has several hard links, which writing would separate";
  }
  if (::access(target.path.c_str(), W_OK) != 0) {
    return reason_of(errno);
  }
  if (::geteuid() != 0 && target.status.st_uid != ::geteuid()) {
    return "the file belongs to another user";
  }
  return std::nullopt;
}

static Refusal find_target(const std::string& path, Existing existing, Target& target) {
  struct stat link {};

  if (::lstat(path.c_str(), &link) != 0) {
    target.path = path;
    return errno == ENOENT ? std::nullopt : Refusal(reason_of(errno));
  }
  if (::stat(path.c_str(), &target.status) != 0) {
    return errno == ENOENT ? "broken symbolic link" : reason_of(errno);
  }
  if (auto reason = refusal(target.status.st_mode)) {
    return reason;
  }
  if (existing == Existing::refuse) {
    return "the file already exists; use --force to replace it";
  }
  std::error_code error;
  target.exists = true;
  target.path = std::filesystem::canonical(path, error).native();
  return error ? Refusal(reason_of(error.value())) : obstacle(target);
}

// Attributes that the system sets on each file need not be copied.
static bool copy_attribute(const std::string& from, int to, const char* name) {
  const ssize_t size = ::getxattr(from.c_str(), name, nullptr, 0);
  std::vector<char> value(size > 0 ? static_cast<std::size_t>(size) : 0);
  const bool read = size >= 0 && ::getxattr(from.c_str(), name, value.data(), value.size()) == size;
  return (read && ::fsetxattr(to, name, value.data(), value.size(), 0) == 0) ||
         std::string_view(name).starts_with("security.");
}

static Refusal copy_attributes(const std::string& from, int to) {
  const ssize_t size = ::listxattr(from.c_str(), nullptr, 0);
  std::vector<char> names(size > 0 ? static_cast<std::size_t>(size) : 0);
  const ssize_t length = names.empty() ? 0 : ::listxattr(from.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < length;) {
    const std::string name(names.data() + at);
    if (!copy_attribute(from, to, name.c_str())) {
      return fmt::format("cannot preserve its extended attribute {}", name);
    }
    at += static_cast<ssize_t>(name.size()) + 1;
  }
  return std::nullopt;
}

// The owner is set first, because changing the owner clears mode bits.
static Refusal keep_attributes(const Target& target, int file) {
  struct stat own {};

  if (::fstat(file, &own) != 0) {
    return reason_of(errno);
  }
  const bool same_owner = own.st_uid == target.status.st_uid && own.st_gid == target.status.st_gid;
  if (!same_owner && ::fchown(file, target.status.st_uid, target.status.st_gid) != 0) {
    return "cannot preserve its owner or group";
  }
  if (::fchmod(file, target.status.st_mode & 07777) != 0) {
    return reason_of(errno);
  }
  return copy_attributes(target.path, file);
}

static Refusal fill(Descriptor& file, const Produce& produce) {
  int error = 0;
  const bool whole = produce([&](std::string_view text) {
    error = write_all(file.get(), text);
    return error == 0;
  });
  if (!whole) {
    return reason_of(error != 0 ? error : ECANCELED);
  }
  if (uninterrupted([&] { return ::fsync(file.get()); }) != 0) {
    return reason_of(errno);
  }
  error = file.close();
  return error == 0 ? std::nullopt : Refusal(reason_of(error));
}

// If no file existed before, a file that was created in the meantime is not replaced. File systems without hard links
// can't detect that.
static int move_into_place(const std::string& from, const Target& target) {
  if (!target.exists && ::link(from.c_str(), target.path.c_str()) == 0) {
    return ::unlink(from.c_str()) == 0 ? 0 : errno;
  }
  if (!target.exists && errno == EEXIST) {
    return EEXIST;
  }
  return ::rename(from.c_str(), target.path.c_str()) == 0 ? 0 : errno;
}

// Returns a name that no other run uses and that is not longer than file systems allow.
static std::string temporary_beside(const std::string& path) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    number = static_cast<std::uint64_t>(::getpid());
  }
  return (std::filesystem::path(path).parent_path() / fmt::format(".sparsecfg-{:016x}", number)).native();
}

// Calls `unchanged` immediately before the replacement, to check whether the file may still be replaced.
static Refusal save(const Target& target, const Produce& produce, const std::function<Refusal()>& unchanged) {
  const std::string temporary = temporary_beside(target.path);
  const RemovalOnSignal removal(temporary);
  Descriptor file(uninterrupted(
      [&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); }));
  if (!file.is_open()) {
    return reason_of(errno);
  }
  Refusal refused = target.exists ? keep_attributes(target, file.get()) : std::nullopt;
  refused = refused ? refused : fill(file, produce);
  refused = refused ? refused : unchanged();
  const int error = refused ? 0 : move_into_place(temporary, target);
  refused = error == 0 ? refused : Refusal(reason_of(error));
  if (refused) {
    ::unlink(temporary.c_str());
  }
  return refused;
}

std::optional<std::string> write_file(const std::string& path, const Produce& produce, Existing existing) {
  Target target;
  auto refused = find_target(path, existing, target);
  return refused ? refused : save(target, produce, [] { return Refusal(); });
}

std::optional<std::string> write_file(const std::string& path, const std::string& text, Existing existing) {
  return write_file(
      path, [&](const Write& write) { return write(text); }, existing);
}

std::optional<std::string> replace_file(const std::string& path, const std::string& before, const std::string& after) {
  Target target;
  if (auto refused = find_target(path, Existing::replace, target)) {
    return refused;
  }
  const auto unchanged = [&]() -> Refusal {
    struct stat now {};

    const Loaded text = read_file(path, before.size());
    const auto* same = std::get_if<std::string>(&text);
    const bool is_target =
        ::stat(path.c_str(), &now) == 0 && now.st_ino == target.status.st_ino && now.st_dev == target.status.st_dev;
    return is_target && same != nullptr && *same == before
               ? std::nullopt
               : Refusal("the file was changed in the meantime and was not written");
  };
  return save(
      target, [&](const Write& write) { return write(after); }, unchanged);
}

bool is_same_file(const std::string& path, const std::string& other) {
  struct stat one {};

  struct stat two {};

  return !other.empty() && ::stat(path.c_str(), &one) == 0 && ::stat(other.c_str(), &two) == 0 &&
         one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

}  // namespace sparsecfg::source
