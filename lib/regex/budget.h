#pragma once

#include <cstdint>

namespace sparsecfg::regex {

// Limit for comparisons, in NFA transitions examined; about ten milliseconds per million. Can be shared to limit
// several comparisons together.
struct Budget {
  std::uint64_t left = 1'000'000;

  // Returns true if enough was left; otherwise sets the rest to zero.
  bool spend(std::uint64_t work) {
    const bool enough = work <= left;
    left = enough ? left - work : 0;
    return enough;
  }
};

}  // namespace sparsecfg::regex
