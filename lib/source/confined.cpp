#include "source/confined.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace sparsecfg::source {

namespace fs = std::filesystem;

std::variant<std::string, LoadError> resolve_below(const std::string& folder, const std::string& path,
                                                   bool hidden_name) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path file = error ? fs::path() : fs::canonical(path, error);
  if (error) {
    return LoadError{reason_of(error.value())};
  }
  const fs::path below = file.lexically_relative(root);
  for (const fs::path& part : below) {
    if (part == "..") return LoadError{"is outside of the project"};
    const bool is_name = part == below.filename();
    if (part != "." && part.native().starts_with('.') && !(hidden_name && is_name)) {
      return LoadError{"is hidden, and settings can't name hidden files"};
    }
  }
  const fs::file_type type = fs::status(file, error).type();
  if (type == fs::file_type::directory) {
    return LoadError{reason_of(EISDIR)};
  }
  return type == fs::file_type::regular ? std::variant<std::string, LoadError>(file.native())
                                        : LoadError{"not a regular file"};
}

}  // namespace sparsecfg::source
