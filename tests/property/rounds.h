#pragma once

#include <cstdlib>

namespace sparsecfg {

// Returns how many random cases a property test tries: `full` if the environment sets SPARSECFG_FULL_TESTS, as
// .ci/run does, else a fiftieth of it, since a debug build is that much slower.
inline int property_rounds(int full) {
  const char* set = std::getenv("SPARSECFG_FULL_TESTS");
  return set != nullptr && *set != '\0' ? full : full / 50;
}

}  // namespace sparsecfg
