#include "ir/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "ir/fields.h"

namespace sparsecfg::ir {

std::string_view to_string(Shape shape) { return names_of<Shape>()[static_cast<std::size_t>(shape)]; }

// A rounded product and its rounding error; their sum is exact (Dekker's method).
struct Product {
  double rounded;
  double rest;
};

static inline Product multiply(double a, double b) {
  constexpr double kHalf = (1 << 27) + 1;  // splits a double into two halves of 26 bits
  const double a_high = kHalf * a - (kHalf * a - a);
  const double b_high = kHalf * b - (kHalf * b - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double rounded = a * b;
  return {rounded, ((a_high * b_high - rounded) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// A cube rounded to the nearest double, and an estimate that is equal if the rounding is certain.
struct Cube {
  double nearest;
  double other;
};

// The error of std::pow is below 0.55 units in the last place. It returns the nearest double unless the exact power
// lies close to the midpoint of two doubles.
static inline Cube cube_of(double x) {
  const Product square = multiply(x, x);
  const Product power = multiply(square.rounded, x);
  const double rest = power.rest + square.rest * x;
  const double nearest = power.rounded + rest;
  const double off = rest - (nearest - power.rounded);
  return {nearest, nearest + 1.125 * off};
}

// Returns the same bits as std::pow(x, 3), but faster. Calls std::pow if the rounding is not certain.
static inline double checked(const Cube& cube, double x) {
  const bool clear = cube.other == cube.nearest && std::abs(x) > 1e-90 && std::abs(x) < 1e90;
  return clear ? cube.nearest : std::pow(x, 3);
}

// Uses std::pow instead of products, since Python's ** calls the same function and the last bit matters.
static std::optional<double> share(Shape shape, double progress) {
  switch (shape) {
    case Shape::linear: return progress;
    case Shape::cubic: return 1 - checked(cube_of(1 - progress), 1 - progress);
    case Shape::inverse_cubic:
      return progress > 1 ? std::nullopt : std::optional(1 - std::pow(1 - progress, 1.0 / 3.0));
  }
  return std::nullopt;
}

static inline double on_the_way(double share, double from, double to) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  if (share <= kEpsilon) {
    return from;
  }
  return share >= 1 - kEpsilon ? to : share * (to - from) + from;
}

std::optional<double> interpolate(Shape shape, double progress, double from, double to) {
  const std::optional<double> y = share(shape, progress);
  return y ? std::optional(on_the_way(*y, from, to)) : std::nullopt;
}

constexpr std::size_t kCubes = 64;

// Interpolates a fixed number of cubic ramps in separate arrays, so that the compiler can vectorize the loops.
static void interpolate_cubic(std::span<const double, kCubes> progress, double from, double to,
                              std::span<std::optional<double>, kCubes> out) {
  std::array<double, kCubes> left;
  std::array<double, kCubes> nearest;
  std::array<double, kCubes> other;
  for (std::size_t at = 0; at < kCubes; ++at) left[at] = 1 - progress[at];
  for (std::size_t at = 0; at < kCubes; ++at) {
    const Cube cube = cube_of(left[at]);
    nearest[at] = cube.nearest;
    other[at] = cube.other;
  }
  for (std::size_t at = 0; at < kCubes; ++at) {
    out[at] = on_the_way(1 - checked({nearest[at], other[at]}, left[at]), from, to);
  }
}

void interpolate_all(Shape shape, std::span<const double> progress, double from, double to,
                     std::span<std::optional<double>> out) {
  std::size_t first = 0;
  for (; shape == Shape::cubic && first + kCubes <= progress.size(); first += kCubes) {
    interpolate_cubic(progress.subspan(first).first<kCubes>(), from, to, out.subspan(first).first<kCubes>());
  }
  for (; first < progress.size(); ++first) out[first] = interpolate(shape, progress[first], from, to);
}

}  // namespace sparsecfg::ir
