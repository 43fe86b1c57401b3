#pragma once

#include <functional>
#include <string>
#include <vector>

// Searches folders for recipes.
namespace sparsecfg::source {

struct FoundFiles {
  struct Problem {
    std::string path;
    std::string reason;
  };

  std::vector<std::string> files;
  std::vector<Problem> problems;  // folders that could not be searched
};

struct SearchOptions {
  bool gitignore = true;  // skip files that git ignores
  // Returns true for paths that the project excludes. May be empty.
  std::function<bool(const std::string& path, bool is_folder)> excludes;
};

// Returns the files below a folder that may be recipes, by extension: .yaml, .yml, .md, .mdx, .json, .py, .ipynb, and
// those that is_shell_file() accepts. Sorted by path.
// Skips symbolic links, hidden folders, `node_modules`, Python virtual environments, and everything that the .gitignore
// files of the folder, its subfolders and its parents up to the repository root exclude. Folders nested more than 32
// levels deep are reported as a problem. Paths start with `folder` as given, except for ".".
[[nodiscard]] FoundFiles find_recipes(const std::string& folder, const SearchOptions& options);

// Same, with the default options.
[[nodiscard]] FoundFiles find_recipes(const std::string& folder);

// The files below a folder, and what was left out.
struct SearchResult : FoundFiles {
  // Files that may be recipes and folders, with `/` at the end, that were left out, and the reason. Sorted by path.
  std::vector<Problem> skipped{};
};

// Searches a folder as find_recipes() does.
[[nodiscard]] SearchResult search_recipes(const std::string& folder, const SearchOptions& options);

// Returns the root of the repository that contains a path (the folder with `.git`), or an empty string. `folder` is
// absolute.
[[nodiscard]] std::string repository_of(const std::string& folder);

}  // namespace sparsecfg::source
