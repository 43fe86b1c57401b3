#pragma once

#include <string>
#include <vector>

#include "picture/draw.h"
#include "picture/scene.h"

namespace sparsecfg::picture {

// SVG elements without their root.
struct Drawn {
  std::string body;
  double height = 0;
};

// Draws the title, the panels and the phases of one layout, from top to bottom.
[[nodiscard]] Drawn draw_body(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout);

// Returns an `<svg>` of one layout for a page.
[[nodiscard]] std::string wrap_layout(const Drawn& drawn, const std::string& title, const std::string& description,
                                      const Layout& layout);

// Returns an `<svg>` file with two layouts, which are `<g>` elements with the classes `wide` and `narrow`. The viewer
// selects one. `description` is for screen readers.
[[nodiscard]] std::string join_layouts(const Drawn& wide, const Drawn& narrow, const std::string& title,
                                       const std::string& description);

// Returns a `<text>` at a position.
[[nodiscard]] std::string text_at(double x, double y, std::string_view type, std::string_view text);

// Returns the CSS classes of a curve, which differ in color or in dashes.
[[nodiscard]] std::string color_of(std::size_t number);

inline constexpr double kTextSize = 12;  // font size in pixels
inline constexpr double kTitleSize = 15;
inline constexpr double kMargin = 18;

}  // namespace sparsecfg::picture
