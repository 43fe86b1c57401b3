#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "timeline/run.h"

// Pictures of runs, and pages with them.
namespace sparsecfg::picture {

// An SVG of the run: sparsities, learning rate and phases over epochs. Self-contained, for light and dark; the work and
// the size do not grow with the number of steps.
[[nodiscard]] std::string draw_svg(const ir::Recipe& recipe, const timeline::Run& run, const std::string& title);

// The same of two recipes in one picture, the first one dotted.
[[nodiscard]] std::string draw_svg_of_two(const ir::Recipe& first, const timeline::Run& run, const ir::Recipe& second,
                                          const timeline::Run& second_run, const std::string& title);

// An HTML page that needs nothing else: the picture with values under the pointer, the table of the run, the findings,
// and the source with marks that lead to both.
[[nodiscard]] std::string draw_page(const ir::Recipe& recipe, const timeline::Run& run, const source::SourceFile& file,
                                    const std::vector<diag::Diagnostic>& findings);

}  // namespace sparsecfg::picture
