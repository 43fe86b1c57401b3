#pragma once

#include <string>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

inline constexpr double kWideWidth = 800;
inline constexpr double kMediumWidth = 600;  // for half a window, as in the playground
inline constexpr double kNarrowWidth = 360;  // for phones: text has at least 11 pixels

struct Layout {
  double width = kWideWidth;
  std::string id = "picture";  // prefix of element ids, so that a page can contain several pictures
  bool heading = true;         // draws title and caption above the panels
  bool links = false;          // links labels to `#a0`, `#a1` ..., the anchors in the source
};

// Returns the CSS with colors and fonts for light and dark mode.
[[nodiscard]] std::string_view style();

// Returns an `<svg>` with panels for sparsities and learning rate, whose curves are labeled at their ends, and with
// bars for phases. Empty panels are omitted. With two scenes, the first one is dotted.
[[nodiscard]] std::string draw(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout);

// Returns an `<svg>` for a separate file, with a wide layout and one for phones. The viewer selects the layout.
[[nodiscard]] std::string draw_file(const std::vector<Scene>& scenes, const std::string& title);

// Returns a description of the picture in sentences, for screen readers.
[[nodiscard]] std::string describe(const Scene& scene);

// Returns a caption such as "300 epochs of 500 steps, 150000 steps in total".
[[nodiscard]] std::string caption(const Scene& scene);

}  // namespace sparsecfg::picture
