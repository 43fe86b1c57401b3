#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/one_shot.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "timeline/run.h"

// Renders runs as SVG pictures and HTML pages.
namespace sparsecfg::picture {

// Returns an SVG with sparsities, learning rate and phases over epochs. It is self-contained and supports light and
// dark mode. Time and size do not grow with the number of steps.
[[nodiscard]] std::string draw_svg(const ir::Recipe& recipe, const timeline::Run& run, const std::string& title);

// Returns an SVG with two recipes, the first one dotted.
[[nodiscard]] std::string draw_svg_of_two(const ir::Recipe& first, const timeline::Run& run, const ir::Recipe& second,
                                          const timeline::Run& second_run, const std::string& title);

// Returns a self-contained HTML page with an interactive chart, the schedule as a table, the findings, and the source
// with links to them.
[[nodiscard]] std::string draw_page(const ir::Recipe& recipe, const timeline::Run& run, const source::SourceFile& file,
                                    const std::vector<diag::Diagnostic>& findings);

// Returns an SVG with the modifiers of a one-shot recipe in their order, and the size of the model.
[[nodiscard]] std::string draw_one_shot(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                        const std::string& title);

// Returns a self-contained HTML page with the same picture, tables, the findings, and the source.
[[nodiscard]] std::string draw_one_shot_page(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                             const source::SourceFile& file,
                                             const std::vector<diag::Diagnostic>& findings);

}  // namespace sparsecfg::picture
