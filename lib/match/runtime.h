#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/runtime_layers.h"

// Reports the layers of a runtime with their groups, as text and as JSON.
namespace sparsecfg::match {

// Returns the layers with their groups, in the form of Matching::text().
[[nodiscard]] std::string text_of(const ir::RuntimeLayers& layers, bool all);

// Returns the same as a JSON object (format 1).
[[nodiscard]] std::string json_of(const ir::RuntimeLayers& layers);

// Returns the group and the scheme of the layer that has a name or joins a module of this name, as text, or nullopt if
// there is none.
[[nodiscard]] std::optional<std::string> explain(const ir::RuntimeLayers& layers, std::string_view name);

}  // namespace sparsecfg::match
