#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sparsecfg::ir {

// Course of a ramp between its two values.
enum class Shape : std::uint8_t { linear, cubic, inverse_cubic };

[[nodiscard]] std::string_view to_string(Shape shape);

// The value of a ramp at `progress` (0 at its start, 1 at its end), as SparseML computes it
// (reference/sparseml.md C.3): the share y of the way is p, 1-(1-p)^3 or 1-(1-p)^(1/3); near 0 it
// is `from`, near 1 `to`, else y*(to-from)+from in that order of operations. Nothing where Python
// gets a complex number: an inverse cubic past its end.
[[nodiscard]] std::optional<double> interpolate(Shape shape, double progress, double from, double to);

}  // namespace sparsecfg::ir
