#pragma once

#include <optional>
#include <span>

#include "ir/curve.h"

namespace sparsecfg::ir {

// What interpolate() returns at each of many points of a ramp; `out` has as many.
void interpolate_all(Shape shape, std::span<const double> progress, double from, double to,
                     std::span<std::optional<double>> out);

}  // namespace sparsecfg::ir
