#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::source {

// The sizes of a tensor's dimensions, outermost first: for a weight outputs before inputs. None for
// a single number.
using Shape = std::vector<std::uint64_t>;

// No tensor has more dimensions, and none is larger: sums of a whole model then fit into 64 bits.
inline constexpr std::size_t kMaxDimensions = 16;
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 48;

// The product of the sizes; nullopt if it is more than kMostElements, or there are more than
// kMostDimensions.
[[nodiscard]] std::optional<std::uint64_t> elements_of(const Shape& shape);

// A shape as people write it: `64x3x7x7`, `64,3,7,7`, `[64, 3, 7, 7]` or `(64, 3, 7, 7)`. Nothing
// where the text is none or elements_of() knows no number.
[[nodiscard]] std::optional<Shape> read_shape(std::string_view text);

// "64x3x7x7"
[[nodiscard]] std::string to_text(const Shape& shape);

}  // namespace sparsecfg::source
