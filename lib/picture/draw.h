#pragma once

#include <string>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

struct Layout {
  double width = 800;
  std::string id = "picture";  // of elements, so that several pictures can stand in one page
  bool heading = true;         // title and caption above the panels
  bool links = false;          // names of actions lead to `#a0`, `#a1` ...: the action's place in the page
};

// The colours and fonts of the pictures, for light and dark.
[[nodiscard]] std::string_view style();

// An `<svg>` with a panel for sparsities, one for rates and one for phases, each only if there is something in it, and
// a legend. Of two scenes the first one is dotted, and the legend is that of the last one.
[[nodiscard]] std::string draw(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout);

// What the picture shows, in sentences.
[[nodiscard]] std::string describe(const Scene& scene);

// "300 epochs of 500 steps, 150000 steps"
[[nodiscard]] std::string caption(const Scene& scene);

}  // namespace sparsecfg::picture
