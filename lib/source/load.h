#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparsecfg::source {

// The only module that opens files for reading; everything else works on strings.

// The reason why a file can't be read: "no such file", "is a directory", "permission denied".
struct LoadError {
  std::string reason;
  bool too_large = false;  // the input exceeds the limit, which is a problem of the recipe
};

using Loaded = std::variant<std::string, LoadError>;

// Returns true for paths of files that the caller has already opened. A shell passes `<(...)` as `/dev/fd/63`: a pipe
// with a writer and a meaningless name.
[[nodiscard]] bool is_open_already(std::string_view path);

// Reads a regular file, or a pipe that is already open. Follows symbolic links; rejects anything else (a folder,
// another pipe, a device). Never reads more than one byte over the limit.
[[nodiscard]] Loaded read_file(const std::string& path, std::size_t max_bytes);

// Reads the first `bytes` bytes of such a file, or fewer if it is shorter.
[[nodiscard]] Loaded read_start(const std::string& path, std::size_t bytes);

// Reads standard input to its end, with the same limit.
[[nodiscard]] Loaded read_stdin(std::istream& in, std::size_t max_bytes);

struct FoundFiles {
  struct Problem {
    std::string path;
    std::string reason;
  };

  std::vector<std::string> files;
  std::vector<Problem> problems;  // folders that could not be searched
};

// Returns the files below a folder that may be recipes, by extension: .yaml, .yml, .md, .json, .py. Sorted by path.
// Symbolic links and hidden folders are skipped. Folders nested more than 32 levels deep are reported as a problem.
// Paths start with `folder` as given, except for ".".
[[nodiscard]] FoundFiles find_recipes(const std::string& folder);

// Receives the next piece of an output. Returns false if it can't be written and no more should follow.
using Write = std::function<bool(std::string_view)>;
// Writes an output piece by piece. Returns false if it stopped early.
using Produce = std::function<bool(const Write&)>;

struct SearchOptions {
  bool gitignore = true;  // skip files that git ignores
  // Returns true for paths that the project excludes. May be empty.
  std::function<bool(const std::string& path, bool is_folder)> excludes;
};

// Returns the files below a folder that may be recipes, by extension: .yaml, .yml, .md, .json, .py. Sorted by path.
// Skips symbolic links, hidden folders, `node_modules`, Python virtual environments, and everything that the .gitignore
// files of the folder, its subfolders and its parents up to the repository root exclude. Folders nested more than 32
// levels deep are reported as a problem. Paths start with `folder` as given, except for ".".
[[nodiscard]] FoundFiles find_recipes(const std::string& folder, const SearchOptions& options);

// Returns a description of a file system errno: "no such file".
[[nodiscard]] std::string reason_of(int error);

// Returns the root of the repository that contains a path (the folder with `.git`), or an empty string. `folder` is
// absolute.
[[nodiscard]] std::string repository_of(const std::string& folder);

}  // namespace sparsecfg::source
