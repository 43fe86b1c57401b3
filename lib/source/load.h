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

// The one place that opens files; everything else works on texts.

// The reason why a file can't be read: "no such file", "is a directory", "permission denied".
struct LoadError {
  std::string reason;
  bool too_large = false;  // the input has more bytes than allowed, which is the recipe's fault
};

using Loaded = std::variant<std::string, LoadError>;

// Returns true for paths of files that the caller has open already: `<(...)` of a shell is `/dev/fd/63`, a pipe that
// has a writer and a name without meaning.
[[nodiscard]] bool is_open_already(std::string_view path);

// The bytes of a regular file, or of a pipe that is open already; symbolic links are followed, anything else (a folder,
// another pipe, a device) is refused. Never reads more than one byte over the limit.
[[nodiscard]] Loaded read_file(const std::string& path, std::size_t max_bytes);

// The first bytes of such a file, fewer where it has fewer.
[[nodiscard]] Loaded read_start(const std::string& path, std::size_t bytes);

// The bytes of standard input up to its end, with the same limit.
[[nodiscard]] Loaded read_stdin(std::istream& in, std::size_t max_bytes);

struct FoundFiles {
  struct Problem {
    std::string path;
    std::string reason;
  };

  std::vector<std::string> files;
  std::vector<Problem> problems;  // folders that could not be searched
};

// The files below a folder that may be recipes, selected by the end of their names: .yaml, .yml, .md,
// .json, .py. Sorted by path. Symbolic links and hidden folders are passed over; folders more than
// 32 levels deep are a problem. Paths begin with `folder` as it is written, except for ".".
[[nodiscard]] FoundFiles find_recipes(const std::string& folder);

// Takes the next piece of an output; false when it can't be written and no more should come.
using Write = std::function<bool(std::string_view)>;
// Writes an output piece by piece; false when it gave up.
using Produce = std::function<bool(const Write&)>;

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

// Returns the text of an errno of the file system: "no such file".
[[nodiscard]] std::string reason_of(int error);

// The folder of a repository (one that holds `.git`) that a path lies in; empty if it lies in none. `folder` is
// absolute.
[[nodiscard]] std::string repository_of(const std::string& folder);

}  // namespace sparsecfg::source
