#pragma once

#include <string>

#include "report/report.h"

namespace sparsecfg::report {

// Returns the line that counts the findings: "2 files checked: 1 error, 0 warnings".
[[nodiscard]] std::string summarize(const Report& report, bool verbose);

// Returns the lines that end a report: for which runtime the files were checked, and which recipes are unknown.
[[nodiscard]] std::string coverage_lines(const Report& report);

}  // namespace sparsecfg::report
