#pragma once

#include <string>

#include "diff/diff.h"

namespace sparsecfg::diff {

// The recipes as they are called in reports.
struct Names {
  std::string before;
  std::string after;
};

// For people: a paragraph for each change, then what was compared and the verdict.
[[nodiscard]] std::string report_text(const Difference& difference, const Compilation& before, const Compilation& after,
                                      const Names& names);

// A table for a pull request, in Markdown.
[[nodiscard]] std::string report_markdown(const Difference& difference, const Compilation& before,
                                          const Compilation& after, const Names& names);

// A JSON object, format 1.
[[nodiscard]] std::string report_json(const Difference& difference, const Compilation& before, const Compilation& after,
                                      const Names& names);

// "the same schedule, written differently", "no change in what was compared", "2 changes, in 12 of 26 weights"
[[nodiscard]] std::string verdict(const Difference& difference);

}  // namespace sparsecfg::diff
