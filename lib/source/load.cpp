#include "source/load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "source/search.h"

namespace sparsecfg::source {

namespace fs = std::filesystem;

std::string reason_of(int error) {
  switch (error) {
    case ENOENT: return "no such file";
    case ENOTDIR: return "a part of its path is not a folder";
    case EISDIR: return "is a directory";
    case ENXIO: return "not a regular file";  // what opening a socket gives
    case EACCES:
    case EPERM: return "permission denied";
    case ELOOP: return "too many symbolic links";
    case ENAMETOOLONG: return "the name is too long";
    case ENOSPC: return "no space left on the device";
    case EROFS: return "the file system is read-only";
    default: return std::generic_category().message(error);
  }
}

namespace {

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] bool is_open() const { return value_ >= 0; }

  [[nodiscard]] int get() const { return value_; }

  // 0, or the error that close() gives for data that could not be written after all.
  [[nodiscard]] int close() {
    const int value = std::exchange(value_, -1);
    return value < 0 || ::close(value) == 0 ? 0 : errno;
  }

 private:
  int value_;
};

}  // namespace

// Calls again what a signal has interrupted.
template <class Call>
static auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

static LoadError too_large() { return {"too large", true}; }

// Why a file of this mode is not read or replaced; nothing for a regular file.
static std::optional<std::string> refusal(mode_t mode) {
  if (S_ISDIR(mode)) {
    return reason_of(EISDIR);
  }
  return S_ISREG(mode) ? std::nullopt : std::optional<std::string>("not a regular file");
}

// Up to so many bytes, or all that there are.
static Loaded read_descriptor(int descriptor, std::size_t max) {
  std::string text;
  std::array<char, 16384> buffer;  // left as it is: what counts is what is read into it
  while (text.size() < max) {
    const std::size_t wanted = std::min(buffer.size(), max - text.size());
    const ssize_t count = uninterrupted([&] { return ::read(descriptor, buffer.data(), wanted); });
    if (count < 0) {
      return LoadError{reason_of(errno)};
    }
    if (count == 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

Loaded read_start(const std::string& path, std::size_t bytes) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  const Descriptor file(
      uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); }));

  struct stat status {};

  if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
    return LoadError{reason_of(errno)};
  }
  if (auto reason = refusal(status.st_mode)) {
    return LoadError{std::move(*reason)};
  }
  return read_descriptor(file.get(), bytes);
}

Loaded read_file(const std::string& path, std::size_t max_bytes) {
  Loaded read = read_start(path, max_bytes + 1);
  const auto* text = std::get_if<std::string>(&read);
  return text != nullptr && text->size() > max_bytes ? Loaded(too_large()) : std::move(read);
}

Loaded read_stdin(std::istream& in, std::size_t max_bytes) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() <= max_bytes && in) {
    const std::size_t wanted = std::min(buffer.size(), max_bytes + 1 - text.size());
    in.read(buffer.data(), static_cast<std::streamsize>(wanted));
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) {
    return LoadError{"can't be read"};
  }
  return text.size() > max_bytes ? Loaded(too_large()) : Loaded(std::move(text));
}

static int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = uninterrupted([&] { return ::write(descriptor, text.data(), text.size()); });
    if (count < 0) {
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Fills a new file that stands at `path`; 0, or the error that kept it from doing so.
static int fill(Descriptor& file, const Produce& produce, std::optional<mode_t> mode) {
  if (mode && ::fchmod(file.get(), *mode & 07777) != 0) {
    return errno;
  }
  int error = 0;
  const bool whole = produce([&](std::string_view text) {
    error = write_all(file.get(), text);
    return error == 0;
  });
  if (!whole) {
    return error != 0 ? error : ECANCELED;
  }
  if (uninterrupted([&] { return ::fsync(file.get()); }) != 0) {
    return errno;
  }
  return file.close();
}

static int replace(const std::string& path, const Produce& produce, std::optional<mode_t> mode) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  Descriptor file(uninterrupted(
      [&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); }));
  if (!file.is_open()) {
    return errno;
  }
  int error = fill(file, produce, mode);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(temporary.c_str());
  }
  return error;
}

std::optional<std::string> write_file_atomically(const std::string& path, const std::string& text) {
  return write_file_atomically(path, [&](const Write& write) { return write(text); });
}

std::optional<std::string> write_file_atomically(const std::string& path, const Produce& produce) {
  std::string target = path;
  std::optional<mode_t> mode;

  struct stat status {};

  if (::stat(path.c_str(), &status) == 0) {
    if (auto reason = refusal(status.st_mode)) {
      return reason;
    }
    std::error_code error;
    target = fs::canonical(path, error).native();  // the file itself where `path` is a link to it
    if (error) {
      return reason_of(error.value());
    }
    mode = status.st_mode;
  }
  const int error = replace(target, produce, mode);
  return error == 0 ? std::nullopt : std::optional(reason_of(error));
}

}  // namespace sparsecfg::source
