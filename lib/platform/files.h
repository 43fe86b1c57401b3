#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// Open files, their attributes and their removal.
namespace sparsecfg::platform {

// Owns a file descriptor and closes it.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] bool is_open() const { return value_ >= 0; }

  [[nodiscard]] int get() const { return value_; }

  // Returns 0, or the error of close(), which reports data that could not be written.
  [[nodiscard]] int close();

 private:
  int value_;
};

// Retries a call that was interrupted by a signal.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

// Writes the whole text. Returns 0, or the errno of the write that failed.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

// A failure: an errno, or a reason if the errno would not explain it.
struct AttributeError {
  int error = 0;
  std::string reason;
};

// Copies owner, group, mode bits and extended attributes of the file `from`, which has this status, to the open file
// `to`.
[[nodiscard]] std::optional<AttributeError> copy_attributes(const std::string& from, const struct stat& status, int to);

// Returns the reason why the attributes of a file forbid to replace it; nullopt if they allow it.
[[nodiscard]] std::optional<AttributeError> refuses_replacement(const std::string& path, const struct stat& status);

// Returns true if the file belongs to another user and others than its owner may write it.
[[nodiscard]] bool is_writable_by_others(const std::string& path);

// During its lifetime, terminating signals also remove a temporary file. Ignored signals stay ignored. Only one object
// exists at a time; the constructor waits for the others.
class RemovalOnSignal {
 public:
  explicit RemovalOnSignal(const std::string& path);

  RemovalOnSignal(const RemovalOnSignal&) = delete;
  RemovalOnSignal& operator=(const RemovalOnSignal&) = delete;

  ~RemovalOnSignal();

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace sparsecfg::platform
