#pragma once

#include <string>

#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

// A picture of the run: sparsity above, learning rate below, over epochs. Self-contained, readable
// on light and dark ground; a course of more changes than the picture has dots is thinned to them.
[[nodiscard]] std::string draw_svg(const ir::Recipe& recipe, const Run& run, const std::string& title);

}  // namespace sparsecfg::timeline
