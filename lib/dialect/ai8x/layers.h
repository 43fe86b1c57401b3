#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"

// The layers of a model that a QAT policy quantizes.
namespace sparsecfg::dialect::ai8x {

// Returns the full names of the layers of ai8x.py that have weights. Their inner torch modules are not layers.
[[nodiscard]] std::vector<std::string> quantized_layers(const std::vector<model::Module>& modules);

enum class Fit : std::uint8_t { no, yes, unknown };

// Returns whether a name is that of a quantized layer. `unknown`: a module of a class that is not in ai8x.py.
[[nodiscard]] Fit fit_of(std::string_view name, const std::vector<model::Module>& modules);

}  // namespace sparsecfg::dialect::ai8x
