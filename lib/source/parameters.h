#pragma once

#include <string>
#include <variant>

#include "source/names.h"

namespace sparsecfg::source {

// The parameters in a file of any form that read_names() knows. Of a .safetensors file only the
// header is read, however large it is; the shapes that an index of sharded weights lacks come from
// the shards that lie beside it.
[[nodiscard]] std::variant<Parameters, LoadError> load_parameters(const std::string& path);

// The modules in a file as read_modules() knows it.
[[nodiscard]] std::variant<std::vector<Module>, LoadError> load_modules(const std::string& path);

}  // namespace sparsecfg::source
