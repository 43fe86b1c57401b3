#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "source/load.h"

// The only module that writes files. Files are always written as a whole: the text is written to a temporary file in
// the same folder, which then replaces the target, and which is removed on failure and on interruption. Mode, owner and
// extended attributes of a replaced file are kept, as are symbolic links to it. A file is not replaced if that would
// change more than its contents: if it is read-only, has several hard links, or belongs to another user (unless the
// program runs as root), or if a symbolic link is broken. Each function returns the reason of a failure, or nullopt.
namespace sparsecfg::source {

// The handling of an existing file.
enum class Existing { refuse, replace };

// Creates or replaces a file.
[[nodiscard]] std::optional<std::string> write_file(const std::string& path, const Produce& produce, Existing existing);
[[nodiscard]] std::optional<std::string> write_file(const std::string& path, const std::string& text,
                                                    Existing existing = Existing::replace);

// Tells files apart, whatever their paths are.
struct FileIdentity {
  std::uint64_t device;
  std::uint64_t number;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Returns the identity of the file at a path, with all symbolic links resolved; nullopt if there is none.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::string& path);

// Replaces a file if it still contains `before` and, if `identity` is given, if it is still the same file. A folder in
// the path may have become a link to another folder.
[[nodiscard]] std::optional<std::string> replace_file(const std::string& path, const std::string& before,
                                                      const std::string& after,
                                                      std::optional<FileIdentity> identity = std::nullopt);

// Returns true if both paths refer to the same file.
[[nodiscard]] bool is_same_file(const std::string& path, const std::string& other);

}  // namespace sparsecfg::source
