#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/one_shot.h"
#include "ir/recipe.h"
#include "picture/drawing.h"
#include "source/source_file.h"
#include "timeline/run.h"

// Renders the sections of an HTML page.
namespace sparsecfg::picture {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

// Returns an HTML table with the key rows of the schedule.
[[nodiscard]] std::string schedule_table(const ir::Recipe& recipe, const timeline::Run& run);

// Returns an HTML list of the findings, each with a link to its line.
[[nodiscard]] std::string findings_list(const source::SourceFile& file, const std::vector<diag::Diagnostic>& findings);

// Returns the source as HTML. The spans of findings are marked and linked to the list of findings. Lines in which an
// action starts link to the chart.
[[nodiscard]] std::string marked_source(const source::SourceFile& file, const ir::Recipe& recipe,
                                        const std::vector<diag::Diagnostic>& findings);

// Pictures of recipes that are applied to a trained model.

// Draws the modifiers in their order, and the size of each kind of layers before and after.
[[nodiscard]] Drawn draw_one_shot_body(const ir::Recipe& recipe, const ir::OneShot& one_shot, const std::string& title,
                                       const Layout& layout);

// Returns "2 modifiers in this order; requires a dataset".
[[nodiscard]] std::string one_shot_caption(const ir::Recipe& recipe);

// Returns a description of the picture in sentences, for screen readers.
[[nodiscard]] std::string describe_one_shot(const ir::Recipe& recipe, const ir::OneShot& one_shot);

// Returns HTML tables of the modifiers, and of the sizes of layers.
[[nodiscard]] std::string one_shot_tables(const ir::Recipe& recipe, const ir::OneShot& one_shot,
                                          const source::SourceFile& file);

}  // namespace sparsecfg::picture
