#pragma once

#include <optional>
#include <span>

#include "ir/curve.h"

namespace sparsecfg::ir {

// Computes interpolate() for many points of a ramp. `out` has the size of `progress`.
void interpolate_all(Shape shape, std::span<const double> progress, double from, double to,
                     std::span<std::optional<double>> out);

}  // namespace sparsecfg::ir
