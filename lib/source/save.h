#pragma once

#include <optional>
#include <string>

#include "source/load.h"

// The only place that writes files, and always whole ones: a text goes to a file beside it, which then takes its
// place, and which is removed again on failure and where the program is interrupted. Of a file that is replaced the
// mode, the owner and the extended attributes are kept, and a symbolic link to it stays. Refused is what would change
// more than the text: a file that is read-only, has several names (hard links) or belongs to another user than the
// one who runs the program, unless that is root; a link that leads nowhere. Each function returns why it failed, or
// nothing.
namespace sparsecfg::source {

// What happens to a file that is there already.
enum class Existing { refuse, replace };

// Makes a file, or replaces one.
[[nodiscard]] std::optional<std::string> write_file(const std::string& path, const Produce& produce, Existing existing);
[[nodiscard]] std::optional<std::string> write_file(const std::string& path, const std::string& text,
                                                    Existing existing = Existing::replace);

// Replaces a file that was read, if it still holds what was read.
[[nodiscard]] std::optional<std::string> replace_file(const std::string& path, const std::string& before,
                                                      const std::string& after);

// Returns true if both are names of one file.
[[nodiscard]] bool is_same_file(const std::string& path, const std::string& other);

}  // namespace sparsecfg::source
