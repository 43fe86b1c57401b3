#pragma once

#include <cstdint>

namespace sparsecfg::regex {

// The work that comparisons may still do, in looks at a state for one sign: a million of them take
// about ten milliseconds. Shared by many comparisons it bounds them together.
struct Budget {
  std::uint64_t left = 1'000'000;

  // Returns true if there was enough; where there was not, nothing is left.
  bool spend(std::uint64_t work) {
    const bool enough = work <= left;
    left = enough ? left - work : 0;
    return enough;
  }
};

}  // namespace sparsecfg::regex
