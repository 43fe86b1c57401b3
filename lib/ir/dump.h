#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "ir/recipe.h"

namespace sparsecfg::ir {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr int kFormat = 1;

// What JSON has no value for is an object of one of these keys and its text, a mapping whose keys
// are not strings, or could be taken for one of these, a list of pairs.
inline constexpr std::string_view kEscape = "$";
inline constexpr std::string_view kEscapedInt = "$int";      // beyond 64 bits
inline constexpr std::string_view kEscapedFloat = "$float";  // nan, inf, -inf
inline constexpr std::string_view kEscapedTime = "$time";
inline constexpr std::string_view kEscapedMap = "$map";

// The recipe as a JSON document, format 1, with a line feed at its end: all that was read and what it
// means, in application order, complete enough to be read back as an equal recipe. Floats always
// have a point or an exponent, so that they stay floats; where a number is asked for, nan, inf and -inf are texts.
// Where the text passes `max_bytes`, the rest of the actions is left out.
[[nodiscard]] std::string dump(const Recipe& recipe, std::size_t max_bytes = std::numeric_limits<std::size_t>::max());
// The same as if the recipe had only these actions.
[[nodiscard]] std::string dump(const Recipe& recipe, std::span<const Action> actions,
                               std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace sparsecfg::ir
