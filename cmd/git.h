#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sparsecfg::cmd {

// Returns the folder of a file as an argument of git: "." for a file in the current folder.
[[nodiscard]] std::string folder_of(const std::filesystem::path& file);

// Reason why a file could not be read from git.
struct GitFailure {
  std::string reason;
  bool is_missing = false;  // true if the revision exists, but lacks the file
};

// Returns the contents of a file in a revision ("HEAD~1") of the repository that contains `path`. Runs git without a
// shell, and without anything that the configuration of the repository names. Fails if the file is larger than
// `max_bytes`, or if a partial clone lacks it.
[[nodiscard]] std::variant<std::string, GitFailure> show_revision(const std::string& revision, const std::string& path,
                                                                  std::size_t max_bytes);

// Returns the contents of a file whose path in the revision is relative to the root of the repository that contains
// `folder`, or to `folder` if it begins with `./` or does not exist at the root. This is the syntax of `git show
// REVISION:PATH`.
[[nodiscard]] std::variant<std::string, GitFailure> show_path(const std::string& folder, const std::string& revision,
                                                              const std::string& path, std::size_t max_bytes);

// A file of a revision.
struct RevisionFile {
  std::string path;       // below the folder that was asked for
  std::string from_root;  // from the root of the repository
};

// Returns the files below `folder` in a revision of the repository that contains it, sorted by path.
[[nodiscard]] std::variant<std::vector<RevisionFile>, GitFailure> files_of_revision(const std::string& revision,
                                                                                    const std::string& folder);

// Returns the path, from the root of the repository, that a file had in a revision before it was renamed; nullopt if
// the index of git has no such rename.
[[nodiscard]] std::optional<std::string> old_path(const std::string& revision, const std::string& path);

}  // namespace sparsecfg::cmd
