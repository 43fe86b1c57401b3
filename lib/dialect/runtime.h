#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "ir/recipe.h"
#include "ir/runtime_layers.h"

// The programs that load a compressed model. The reader options `runtime` and `tensor-parallel` select one.
namespace sparsecfg::dialect {

// Returns how the selected runtime reads the file that a recipe produces or is, or nullopt if no runtime is selected,
// the modules are unknown, or the recipe assigns no schemes.
[[nodiscard]] std::optional<ir::RuntimeLayers> runtime_layers(const ir::Recipe& recipe, const ReadOptions& options);

// Checks the file that a recipe of llm-compressor produces for the selected runtime, and reports at the places of the
// recipe (CT2). Does nothing if no runtime is selected.
void check_runtime(const ir::Recipe& recipe, const ReadOptions& options, diag::Sink& sink);

// Returns each runtime with its known releases, such as "0.18 to 0.30".
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> runtime_releases();

}  // namespace sparsecfg::dialect
