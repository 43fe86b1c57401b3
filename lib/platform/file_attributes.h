#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace sparsecfg::platform {

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

}  // namespace sparsecfg::platform
