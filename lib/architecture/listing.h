#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/names.h"

namespace sparsecfg::architecture {

// Returns the modules of a network that the tables list; empty if they do not list it.
[[nodiscard]] std::vector<model::Module> listed_network(std::string_view library, std::string_view name);

// Returns the parameters of such a network, with biases.
[[nodiscard]] model::Parameters listed_parameters(std::string_view library, std::string_view name);

// Returns the names of all networks of a library.
[[nodiscard]] std::vector<std::string_view> listed_networks(std::string_view library);

// Infers modules from parameters with shapes: matrices are Linear layers or embeddings, and tensors with four
// dimensions Conv2d layers. Other classes are "Module". Returns no modules if no shape is known, and nullopt beyond
// kMaxInferredBytes.
[[nodiscard]] std::optional<std::vector<model::Module>> inferred_modules(const model::Parameters& parameters);

}  // namespace sparsecfg::architecture
