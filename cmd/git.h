#pragma once

#include <string>
#include <variant>

namespace sparsecfg::cmd {

// Why git gave no file.
struct GitFailure {
  std::string reason;
};

// The text of a file as it was in a revision, "HEAD~1", of the checkout that holds the file. Runs git itself, without a
// shell. `max_bytes` is the largest file to read.
[[nodiscard]] std::variant<std::string, GitFailure> show_revision(const std::string& revision, const std::string& path,
                                                                  std::size_t max_bytes);

}  // namespace sparsecfg::cmd
