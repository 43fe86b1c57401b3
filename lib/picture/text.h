#pragma once

#include <string>
#include <string_view>

// Text in pictures and pages.
namespace sparsecfg::picture {

// Fit to stand in SVG and HTML, also within quotes; unsafe characters are made visible.
[[nodiscard]] std::string escaped(std::string_view text);

// An upper estimate of the width of a printable text in a font without serifs, in the unit of `size`.
[[nodiscard]] double width_of(std::string_view text, double size);

// The text, or as much of its beginning as fits with "…" behind it.
[[nodiscard]] std::string shortened(const std::string& text, double size, double width);

// Three digits, without what is not needed: 0.8, 1e-05.
[[nodiscard]] std::string number_text(double value);

}  // namespace sparsecfg::picture
