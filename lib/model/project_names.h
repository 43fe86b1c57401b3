#pragma once

#include <string>
#include <variant>
#include <vector>

#include "model/names.h"

// Files of names that the config file of a project names. The author of the project chooses them, and findings quote
// names, so they could expose a private file of the user.
namespace sparsecfg::model {

// Loads parameters as load_parameters() does. `project` is the absolute folder of the project, or empty if the user
// names the file. In a project the file and the shards of an index must be regular files below the folder after all
// symbolic links are resolved. They must not be hidden, have at most 16 MiB, and contain only names.
[[nodiscard]] ParametersOrError load_parameters_of(const std::string& project, const std::string& path);

// The same for load_modules().
[[nodiscard]] std::variant<std::vector<Module>, source::LoadError> load_modules_of(const std::string& project,
                                                                                   const std::string& path);

}  // namespace sparsecfg::model
