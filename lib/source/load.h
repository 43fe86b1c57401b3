#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "source/source_file.h"

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

// Receives the next piece of an output. Returns false if it can't be written and no more should follow.
using Write = std::function<bool(std::string_view)>;
// Writes an output piece by piece. Returns false if it stopped early.
using Produce = std::function<bool(const Write&)>;

// Returns a description of a file system errno: "no such file".
[[nodiscard]] std::string reason_of(int error);

// Returns the reason why a file of this mode can't be read or replaced; nullopt for a regular file.
[[nodiscard]] std::optional<std::string> refusal(mode_t mode);

// Returns the path of a regular file below a folder, with all symbolic links resolved, or why the settings of a project
// must not name it. Hidden files and files in hidden folders are refused. `hidden_name` allows the name itself to be
// hidden.
[[nodiscard]] std::variant<std::string, LoadError> resolve_below(const std::string& folder, const std::string& path,
                                                                 bool hidden_name = false);

// Returns the folders in which a file is searched that a script names: that of the script, then the current one, which
// is empty.
[[nodiscard]] std::vector<std::string> folders_near(const std::string& script);

// Returns the path of a file that a command of a script names. The command may run in the folder of the script, in one
// of the nearest folders around it within the repository, without a repository in the folder around it, or in the
// current folder. The file is below the folder in which the command runs, or in the repository; else the path is empty.
[[nodiscard]] std::string find_file_of_command(const std::string& script, const std::string& path);

// Reads a file in a folder or below it, from a revision if `view` is not null. An empty folder is the current one.
// Returns nullopt if the file is elsewhere or cannot be read.
[[nodiscard]] std::optional<std::string> read_below(const View* view, const std::string& folder,
                                                    const std::string& path, std::size_t max_bytes);

}  // namespace sparsecfg::source
