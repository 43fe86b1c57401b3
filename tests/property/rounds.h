#pragma once

#include <cstdlib>

namespace sparsecfg {

// Returns how many random cases a property test tries: `full` if the environment sets SPARSECFG_FULL_TESTS, as
// .ci/run does, else a tenth of it, so that an edit is tested in seconds.
inline int property_rounds(int full) {
  const char* set = std::getenv("SPARSECFG_FULL_TESTS");
  return set != nullptr && *set != '\0' ? full : full / 10;
}

}  // namespace sparsecfg
