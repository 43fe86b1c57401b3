#pragma once

#include <cstddef>
#include <string_view>

namespace sparsecfg::base {

// The columns that a terminal gives to a printable character: none to a combining mark, two to an
// East Asian wide character or an emoji, one to any other.
[[nodiscard]] std::size_t display_width(char32_t code_point);

// The columns of a whole text that printable() has been over.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace sparsecfg::base
