#pragma once

#include <cstddef>
#include <string>

#include "ir/recipe.h"
#include "picture/scene.h"
#include "timeline/run.h"

namespace sparsecfg::picture {

struct Terminal {
  std::size_t columns = 80;
  bool utf8 = false;  // true: curves of braille dots, else of ASCII characters
};

// The narrowest terminal that a plot is made for.
inline constexpr std::size_t kMinPlotColumns = 60;

// Returns a plot as text: a panel of sparsities, a panel of the learning rate, a bar for each phase, and the epochs
// below. Each curve is labelled at its right end. Empty if the run has neither curves nor phases, or if the terminal is
// narrower than kMinPlotColumns.
[[nodiscard]] std::string plot(const ir::Recipe& recipe, const timeline::Run& run, const Terminal& terminal);

// Returns a plot of two recipes. Of the first one, only what differs is drawn, with the word `before`.
[[nodiscard]] std::string plot_of_two(const ir::Recipe& first, const timeline::Run& run, const ir::Recipe& second,
                                      const timeline::Run& second_run, const Terminal& terminal);

// Returns a plot of a scene. `before` may be null.
[[nodiscard]] std::string plot(const Scene& scene, const Scene* before, const Terminal& terminal);

}  // namespace sparsecfg::picture
