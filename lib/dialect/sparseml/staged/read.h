#pragma once

#include <optional>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/sparseml/staged/table.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::sparseml::staged {

// Reads a stage recipe, the newer kind of SparseML recipe: `...Modifier:` mappings in `..._modifiers:` in `..._stage:`
// (reference/sparseml.md B.9). Reports everything that SparseML would reject, fail on or drop. The recipe contains all
// modifiers of a known type; those with errors are invalid actions.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, const doc::Document& document, const ReadOptions& options,
                              diag::Sink& sink);

// Lowers a modifier to an action. An invalid modifier becomes an Opaque action.
[[nodiscard]] ir::Action lower(const Modifier& modifier);

// Returns the last start or end of any modifier, rounded up. Returns nullopt if none is above 0.
[[nodiscard]] std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers);

}  // namespace sparsecfg::dialect::sparseml::staged
