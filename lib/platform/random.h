#pragma once

#include <cstdint>

namespace sparsecfg::platform {

// Returns a random number. Falls back to the process ID if the system has no random bytes.
[[nodiscard]] std::uint64_t random_number();

}  // namespace sparsecfg::platform
