#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "timeline/run.h"

// The parts of a page.
namespace sparsecfg::picture {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

// The rows that show the course of the run, as a table.
[[nodiscard]] std::string course_table(const ir::Recipe& recipe, const timeline::Run& run);

// The findings as a list, each with a link to its line.
[[nodiscard]] std::string findings_list(const source::SourceFile& file, const std::vector<diag::Diagnostic>& findings);

// The lines of the file with what findings speak of marked, and links to them and, where an action begins, to the
// picture.
[[nodiscard]] std::string marked_source(const source::SourceFile& file, const ir::Recipe& recipe,
                                        const std::vector<diag::Diagnostic>& findings);

}  // namespace sparsecfg::picture
