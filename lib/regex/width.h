#pragma once

#include <algorithm>
#include <cstdint>

namespace sparsecfg::regex {

// Python stops counting here; a repeat without a limit has this value.
inline constexpr std::uint64_t kUnlimited = 4294967295;

// Minimum and maximum number of characters that a part of a pattern matches.
struct Width {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  friend bool operator==(const Width&, const Width&) = default;
};

[[nodiscard]] constexpr Width limited(Width width) {
  return {std::min(width.min, kUnlimited - 1), std::min(width.max, kUnlimited)};
}

[[nodiscard]] constexpr Width in_sequence(Width a, Width b) { return limited({a.min + b.min, a.max + b.max}); }

[[nodiscard]] constexpr Width either(Width a, Width b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

// `count` is the number of repetitions. Both products stay below 2^64.
[[nodiscard]] constexpr Width repeated(Width width, Width count) {
  return limited({width.min * count.min, width.max * count.max});
}

}  // namespace sparsecfg::regex
