#pragma once

#include <string>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

struct Layout {
  double width = 800;
  std::string id = "picture";  // prefix of element ids, so that a page can contain several pictures
  bool heading = true;         // draws title and caption above the panels
  bool links = false;          // links names of actions to `#a0`, `#a1` ..., the anchors in the source
};

// Returns the CSS with colors and fonts for light and dark mode.
[[nodiscard]] std::string_view style();

// Returns an `<svg>` with panels for sparsities, learning rate and phases, and a legend. Empty panels are omitted. With
// two scenes, the first one is dotted and the legend shows the last one.
[[nodiscard]] std::string draw(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout);

// Returns a description of the picture in sentences, for screen readers.
[[nodiscard]] std::string describe(const Scene& scene);

// Returns a caption such as "300 epochs of 500 steps, 150000 steps in total".
[[nodiscard]] std::string caption(const Scene& scene);

}  // namespace sparsecfg::picture
