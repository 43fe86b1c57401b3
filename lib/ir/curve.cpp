#include "ir/curve.h"

#include <cmath>
#include <limits>

#include "ir/fields.h"

namespace sparsecfg::ir {

std::string_view to_string(Shape shape) { return names_of<Shape>()[static_cast<std::size_t>(shape)]; }

// std::pow, not products: Python's ** calls the same function, and the last digit counts.
static std::optional<double> share(Shape shape, double progress) {
  switch (shape) {
    case Shape::linear: return progress;
    case Shape::cubic: return 1 - std::pow(1 - progress, 3);
    case Shape::inverse_cubic:
      return progress > 1 ? std::nullopt : std::optional(1 - std::pow(1 - progress, 1.0 / 3.0));
  }
  return std::nullopt;
}

std::optional<double> interpolate(Shape shape, double progress, double from, double to) {
  const std::optional<double> y = share(shape, progress);
  if (!y) {
    return std::nullopt;
  }
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  if (*y <= kEpsilon) {
    return from;
  }
  return *y >= 1 - kEpsilon ? to : *y * (to - from) + from;
}

}  // namespace sparsecfg::ir
