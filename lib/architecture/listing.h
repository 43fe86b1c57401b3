#pragma once

#include <string_view>
#include <vector>

#include "model/names.h"

namespace sparsecfg::architecture {

// Returns the modules of a network that the tables list; empty if they do not list it.
[[nodiscard]] std::vector<model::Module> listed_network(std::string_view library, std::string_view name);

// Returns the names of all networks of a library.
[[nodiscard]] std::vector<std::string_view> listed_networks(std::string_view library);

// Returns the weights of modules with shapes.
[[nodiscard]] model::Parameters parameters_of(const std::vector<model::Module>& modules);

}  // namespace sparsecfg::architecture
