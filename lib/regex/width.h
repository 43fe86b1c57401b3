#pragma once

#include <algorithm>
#include <cstdint>

namespace sparsecfg::regex {

// Where Python stops counting: a repeat without a limit has this one.
inline constexpr std::uint64_t kUnlimited = 4294967295;

// How many characters a part of a pattern can match.
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

// `count` is how often the part is repeated; both products stay below 2^64.
[[nodiscard]] constexpr Width repeated(Width width, Width count) {
  return limited({width.min * count.min, width.max * count.max});
}

}  // namespace sparsecfg::regex
