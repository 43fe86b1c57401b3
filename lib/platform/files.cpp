#include "platform/files.h"

#include <unistd.h>

#include <utility>

namespace sparsecfg::platform {

int Descriptor::close() {
  const int value = std::exchange(value_, -1);
  return value < 0 || ::close(value) == 0 ? 0 : errno;
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = uninterrupted([&] { return ::write(descriptor, text.data(), text.size()); });
    if (count <= 0) {
      return count < 0 ? errno : EIO;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace sparsecfg::platform
