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

// Reads a recipe of stages, SparseML's newer kind: mappings `...Modifier:` in `..._modifiers:` in
// `..._stage:` (reference/sparseml.md B.9). Reports everything that SparseML would refuse, or stop
// at, or drop. The recipe holds all modifiers whose type is known; those that are wrong are in it
// as actions that are not valid.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, const doc::Document& document, const ReadOptions& options,
                              diag::Sink& sink);

// The action of a modifier. One that is not valid becomes an Opaque one.
[[nodiscard]] ir::Action lower(const Modifier& modifier);

// The last start or end of any modifier, rounded up; nullopt if none is above 0.
[[nodiscard]] std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers);

}  // namespace sparsecfg::dialect::sparseml::staged
