#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/refusals.h"
#include "diag/sink.h"
#include "dialect/dialect.h"
#include "dialect/write.h"
#include "ir/recipe.h"
#include "model/names.h"

// Conversion of recipes for trained models between systems with different selectors: the outcome of each module of a
// model is written in the words of the target, and the result is read back and compared module by module.
namespace sparsecfg::convert {

// Returns true if a recipe is written by its outcome, because its actions have no counterpart in the target.
[[nodiscard]] bool writes_outcome(const ir::Recipe& recipe, const dialect::Dialect& to);

// Returns true if all unknown values of a recipe are those of fields that do not change the outcome, such as the model.
[[nodiscard]] bool ignores_unknown(const ir::Recipe& recipe, const UnknownValue& unknown);

// The modules of a model as both systems name them. Null: unknown.
struct BothNames {
  const std::vector<model::Module>* source = nullptr;
  const std::vector<model::Module>* target = nullptr;
};

// Writes the outcome of a recipe. Drops actions without an exact counterpart, with the reason.
[[nodiscard]] dialect::WriteResult write_outcome(const ir::Recipe& recipe, const dialect::Dialect& to,
                                                 const BothNames& names, diag::Sink& sink);

// Returns what the output does to other modules than the recipe, or nullopt if both are proved to be equal.
[[nodiscard]] std::optional<Fault> outcome_fault(const ir::Recipe& recipe, const ir::Recipe& back,
                                                 const BothNames& names);

}  // namespace sparsecfg::convert
