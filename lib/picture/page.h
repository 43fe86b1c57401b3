#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/recipe.h"
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

}  // namespace sparsecfg::picture
