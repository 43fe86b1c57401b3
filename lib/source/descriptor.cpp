#include "source/descriptor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace sparsecfg::source {

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

std::string reason_of(int error) {
  switch (error) {
    case ENOENT: return "no such file";
    case ENOTDIR: return "a component of the path is not a directory";
    case EISDIR: return "is a directory";
    case ENXIO: return "not a regular file";  // errno of opening a socket
    case EACCES:
    case EPERM: return "permission denied";
    case ELOOP: return "too many symbolic links";
    case EEXIST: return "the file already exists";
    case ENAMETOOLONG: return "the file name is too long";
    case ENOSPC: return "no space left on device";
    case EROFS: return "the file system is read-only";
    default: return std::generic_category().message(error);
  }
}

std::optional<std::string> refusal(mode_t mode) {
  if (S_ISDIR(mode)) {
    return reason_of(EISDIR);
  }
  return S_ISREG(mode) ? std::nullopt : std::optional<std::string>("not a regular file");
}

}  // namespace sparsecfg::source
