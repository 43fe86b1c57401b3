#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/sparseml/staged/table.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml::staged {

// Reads a stage recipe, the newer kind of SparseML recipe: `...Modifier:` mappings in `..._modifiers:` in `..._stage:`
// (docs/semantics/sparseml.md#h1). Reports everything that SparseML would reject, fail on or drop. The recipe contains
// all modifiers of a known type; those with errors are invalid actions.
[[nodiscard]] ir::Recipe read(const source::SourceFile& file, const doc::Document& document, const ReadOptions& options,
                              diag::Sink& sink);

// Lowers a modifier to an action without operations. An invalid modifier becomes an Opaque action.
[[nodiscard]] ir::Action lower(const Modifier& modifier);

// Returns the last start or end of any modifier, rounded up. Returns nullopt if none is above 0.
[[nodiscard]] std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers);

// A top-level key that is neither a stage nor a group. Expressions can use it as a variable.
struct Argument {
  std::string name;
  source::Span key;
  source::Value value;
};

struct Layout {
  std::vector<ModifierNode> modifiers;  // in execution order
  std::vector<Argument> arguments;
};

// Finds the modifiers of a recipe (docs/semantics/sparseml.md#h1).
// Reports errors: groups outside a stage, stages and groups that are not mappings, modifiers without fields, keys that
// are not strings, and foreign tags. Reports what SparseML ignores: stages and groups with other names (SP106 if no
// modifiers are left, else SP108), and the first of two stages or modifiers with the same name (SP709, SP710).
[[nodiscard]] Layout find_modifiers(const source::SourceFile& file, const doc::Document& document, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml::staged
