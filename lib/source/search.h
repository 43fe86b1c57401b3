#pragma once

#include <string>
#include <vector>

#include "source/load.h"

namespace sparsecfg::source {

// The files below a folder, and what was left out.
struct SearchResult : FoundFiles {
  // Files that may be recipes and folders, with `/` at the end, that were left out, and the reason. Sorted by path.
  std::vector<Problem> skipped{};
};

// Searches a folder as find_recipes() does.
[[nodiscard]] SearchResult search_recipes(const std::string& folder, const SearchOptions& options);

}  // namespace sparsecfg::source
