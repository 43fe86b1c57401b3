#pragma once

#include <cerrno>
#include <string_view>

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

}  // namespace sparsecfg::platform
