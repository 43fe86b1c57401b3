#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "ir/recipe.h"

namespace sparsecfg::ir {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr int kFormat = 1;

// Values without a JSON representation are written as an object with one of these keys and a string. Mappings with keys
// that are not strings, or that could be mistaken for such an object, are written as a list of pairs.
inline constexpr std::string_view kEscape = "$";
inline constexpr std::string_view kEscapedInt = "$int";      // integers beyond 64 bits
inline constexpr std::string_view kEscapedFloat = "$float";  // nan, inf, -inf
inline constexpr std::string_view kEscapedTime = "$time";
inline constexpr std::string_view kEscapedMap = "$map";

// Returns the recipe as a JSON document, format 1, with a final line feed. It contains everything that was read, in
// application order, and can be read back as an equal recipe. Floats always have a point or an exponent. In numeric
// fields nan, inf and -inf are strings. If the text exceeds `max_bytes`, the remaining actions are omitted.
[[nodiscard]] std::string dump(const Recipe& recipe, std::size_t max_bytes = std::numeric_limits<std::size_t>::max());
// Same as above, but with only these actions.
[[nodiscard]] std::string dump(const Recipe& recipe, std::span<const Action> actions,
                               std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace sparsecfg::ir
