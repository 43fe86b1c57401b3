#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace sparsecfg::source {

// A half-open range of byte offsets into one recipe. A compilation concerns one file, so a span
// names none; line and column are computed when a diagnostic is printed, and nowhere else.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] constexpr bool empty() const { return begin == end; }

  friend constexpr auto operator<=>(const Span&, const Span&) = default;
};

// Returns true for equal values, and for two numbers that are nan: two recipes that say `.nan` say the same.
template <class T>
[[nodiscard]] constexpr bool is_same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b || (a != a && b != b);
  } else {
    return a == b;
  }
}

// A value and the place that states it. Equality ignores the place: two recipes that say the
// same are equal wherever they say it.
template <class T>
struct Located {
  T value{};
  Span span;

  friend bool operator==(const Located& a, const Located& b) { return is_same(a.value, b.value); }
};

}  // namespace sparsecfg::source
