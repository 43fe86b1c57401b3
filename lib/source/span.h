#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace sparsecfg::source {

// A half-open range of byte offsets in one recipe. A compilation has a single file, so spans don't contain a file. Line
// and column are computed only when a diagnostic is printed.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] constexpr bool empty() const { return begin == end; }

  friend constexpr auto operator<=>(const Span&, const Span&) = default;
};

// Returns true for equal values, and for two nan: two recipes with `.nan` are equal.
template <class T>
[[nodiscard]] constexpr bool is_same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b || (a != a && b != b);
  } else {
    return a == b;
  }
}

// A value and its source span. Equality ignores the span, so equal recipes are equal wherever the values are written.
template <class T>
struct Located {
  T value{};
  Span span;

  friend bool operator==(const Located& a, const Located& b) { return is_same(a.value, b.value); }
};

}  // namespace sparsecfg::source
