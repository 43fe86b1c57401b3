#pragma once

#include <string>
#include <string_view>

// Formats text for pictures and pages.
namespace sparsecfg::picture {

// Escapes text for SVG and HTML content and attributes. Replaces control characters with visible ones.
[[nodiscard]] std::string escaped(std::string_view text);

// Returns an upper bound for the width of printable text in a sans-serif font, in the unit of `size`.
[[nodiscard]] double width_of(std::string_view text, double size);

// Truncates the text to the width, with "…" at the end.
[[nodiscard]] std::string shortened(const std::string& text, double size, double width);

// Truncates the name of an action in the same way, but keeps its number: "AutomatedGra…#2".
[[nodiscard]] std::string shortened_name(const std::string& name, double size, double width);

// Returns names of actions without the word `Modifier`: "GMPruning#2, GMPruning#3[0.8]".
[[nodiscard]] std::string short_names(std::string names);

// Formats a number with at most three significant digits: 0.8, 1e-05.
[[nodiscard]] std::string number_text(double value);

}  // namespace sparsecfg::picture
