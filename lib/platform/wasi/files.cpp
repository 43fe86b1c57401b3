#include "platform/files.h"

namespace sparsecfg::platform {

// WASI has no owners, mode bits or extended attributes.
std::optional<AttributeError> copy_attributes(const std::string&, const struct stat&, int) { return std::nullopt; }

std::optional<AttributeError> refuses_replacement(const std::string&, const struct stat& status) {
  if (status.st_nlink > 1) {
    return AttributeError{0, "the file has several hard links, which writing would separate"};
  }
  return std::nullopt;
}

bool is_writable_by_others(const std::string&) { return false; }

// WASI has no signals.
struct RemovalOnSignal::State {};

RemovalOnSignal::RemovalOnSignal(const std::string&) {}

RemovalOnSignal::~RemovalOnSignal() = default;

}  // namespace sparsecfg::platform
