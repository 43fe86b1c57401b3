#pragma once

#include <string>
#include <variant>

namespace sparsecfg::cmd {

// Reason why a file could not be read from git.
struct GitFailure {
  std::string reason;
};

// Returns the contents of a file in a revision ("HEAD~1") of the repository that contains `path`. Runs git without a
// shell, and without anything that the configuration of the repository names. Fails if the file is larger than
// `max_bytes`, or if a partial clone lacks it.
[[nodiscard]] std::variant<std::string, GitFailure> show_revision(const std::string& revision, const std::string& path,
                                                                  std::size_t max_bytes);

}  // namespace sparsecfg::cmd
