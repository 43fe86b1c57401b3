#pragma once

#include <string>
#include <variant>

#include "source/load.h"

namespace sparsecfg::source {

// Returns the path of a regular file below a folder, with all symbolic links resolved, or why the settings of a project
// must not name it. Hidden files and files in hidden folders are refused. `hidden_name` allows the name itself to be
// hidden.
[[nodiscard]] std::variant<std::string, LoadError> resolve_below(const std::string& folder, const std::string& path,
                                                                 bool hidden_name = false);

}  // namespace sparsecfg::source
