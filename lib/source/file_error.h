#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

// Reasons why a file can't be read or replaced.
namespace sparsecfg::source {

// Returns a description of an errno: "no such file".
[[nodiscard]] std::string reason_of(int error);

// Returns the reason why a file of this mode can't be read or replaced; nullopt for a regular file.
[[nodiscard]] std::optional<std::string> refusal(mode_t mode);

}  // namespace sparsecfg::source
