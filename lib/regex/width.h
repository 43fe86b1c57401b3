#pragma once

#include <algorithm>
#include <cstdint>

namespace sparsecfg::regex {

// Where Python stops counting: a repeat without a limit has this one.
inline constexpr std::uint64_t kUnlimited = 4294967295;

// How many characters a part of a pattern can match.
struct Width {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

[[nodiscard]] constexpr Width limited(Width width) {
  return {std::min(width.least, kUnlimited - 1), std::min(width.most, kUnlimited)};
}

[[nodiscard]] constexpr Width in_sequence(Width a, Width b) { return limited({a.least + b.least, a.most + b.most}); }

[[nodiscard]] constexpr Width either(Width a, Width b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

// `count` is how often the part is repeated; both products stay below 2^64.
[[nodiscard]] constexpr Width repeated(Width width, Width count) {
  return limited({width.least * count.least, width.most * count.most});
}

}  // namespace sparsecfg::regex
