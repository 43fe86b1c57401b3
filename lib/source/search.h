#pragma once

#include <functional>
#include <string>

#include "source/load.h"

namespace sparsecfg::source {

struct SearchOptions {
  bool gitignore = true;  // leave out what git ignores
  // Returns true for what the project excludes; may be empty.
  std::function<bool(const std::string& path, bool is_folder)> excludes;
};

// The files below a folder that may be recipes, by the end of their names: .yaml, .yml, .md, .json, .py. Sorted by
// path. Left out are symbolic links, hidden folders, `node_modules`, virtual environments of Python, and what the
// .gitignore files of the folder, of those below it and of those above it up to the repository's root name. Folders
// more than 32 levels deep are a problem. Paths begin with `folder` as it is written, except for ".".
[[nodiscard]] FoundFiles find_recipes(const std::string& folder, const SearchOptions& options);

// What an errno of the file system means: "no such file".
[[nodiscard]] std::string reason_of(int error);

// The folder of a repository (one that holds `.git`) that a path lies in; empty if it lies in none. `folder` is
// absolute.
[[nodiscard]] std::string repository_of(const std::string& folder);

}  // namespace sparsecfg::source
