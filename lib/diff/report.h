#pragma once

#include <string>

#include "diff/diff.h"

namespace sparsecfg::diff {

// The names of the recipes in reports.
struct Names {
  std::string before;
  std::string after;
};

// Returns a report with a paragraph for each change, then the compared steps and the verdict.
[[nodiscard]] std::string report_text(const Difference& difference, const Compilation& before, const Compilation& after,
                                      const Names& names);

// Returns a Markdown table for a pull request.
[[nodiscard]] std::string report_markdown(const Difference& difference, const Compilation& before,
                                          const Compilation& after, const Names& names);

// Returns a JSON object (format 1).
[[nodiscard]] std::string report_json(const Difference& difference, const Compilation& before, const Compilation& after,
                                      const Names& names);

// Returns a JSON object with the reports of several pairs of recipes.
[[nodiscard]] std::string join_json(const std::vector<std::string>& reports);

// Returns "the same schedule, written differently", "no difference in the compared parts" or
// "2 changes, in 12 of 26 weights".
[[nodiscard]] std::string verdict(const Difference& difference);

}  // namespace sparsecfg::diff
