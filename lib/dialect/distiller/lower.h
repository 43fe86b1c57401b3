#pragma once

#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "ir/recipe.h"

// Lowers components to IR effects.
namespace sparsecfg::dialect::distiller {

// Selects parameters by name. Names that match no parameter are ignored silently.
[[nodiscard]] model::Selector selector_of(std::vector<model::Term> terms);

// Returns the term for one parameter name.
[[nodiscard]] model::Term term_of(const Value& name);

// Returns the term for a key of a mapping, where `*` means all parameters that are not named.
[[nodiscard]] model::Term term_or_all(const Value& name);

// Returns the effect of a pruner with sparsity levels under one policy, including the sparsity of each target.
[[nodiscard]] ir::Prune prune(const Component& pruner, const Policy& policy, ir::SparsityCurve curve,
                              std::vector<ir::Target> targets);

// Returns the effect of any pruner under one policy. `levels` are the levels in the first active epoch; null if
// they are absent.
[[nodiscard]] ir::Effect pruning(const Component& pruner, const Policy& policy, const Value* levels);

}  // namespace sparsecfg::dialect::distiller
