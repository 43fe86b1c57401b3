#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"

namespace sparsecfg::model {

// The sizes of a tensor's dimensions, outermost first: outputs before inputs for weights. Empty for a scalar.
using Shape = std::vector<std::uint64_t>;

// Returns the product of the sizes; nullopt if it exceeds kMaxElements or there are more than kMaxDimensions.
[[nodiscard]] std::optional<std::uint64_t> elements_of(const Shape& shape);

// Parses a shape: `64x3x7x7`, `64,3,7,7`, `[64, 3, 7, 7]` or `(64, 3, 7, 7)`. Returns nullopt if the text is not a
// shape or elements_of() fails.
[[nodiscard]] std::optional<Shape> read_shape(std::string_view text);

// Returns the shape as "64x3x7x7".
[[nodiscard]] std::string to_text(const Shape& shape);

}  // namespace sparsecfg::model
