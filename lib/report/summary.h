#pragma once

#include <string>

#include "report/report.h"

namespace sparsecfg::report {

// Returns the last line of the text report: "2 files checked: 1 error, 0 warnings".
[[nodiscard]] std::string summarize(const Report& report, bool verbose);

}  // namespace sparsecfg::report
