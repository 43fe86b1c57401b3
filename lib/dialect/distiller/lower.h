#pragma once

#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"
#include "ir/recipe.h"

// The parts of the IR that components become.
namespace sparsecfg::dialect::distiller {

// Parameters by their names. Names that no parameter has are passed over silently.
[[nodiscard]] ir::Selector selector_of(std::vector<ir::Term> terms);

// The name of one parameter.
[[nodiscard]] ir::Term term_of(const Value& name);

// A name of a mapping, where `*` stands for all parameters that are not named.
[[nodiscard]] ir::Term term_or_all(const Value& name);

// A pruner of levels under one policy, with the sparsity of each of its targets.
[[nodiscard]] ir::Prune prune(const Component& pruner, const Policy& policy, ir::SparsityCurve curve,
                              std::vector<ir::Target> targets);

// What any pruner does under one policy. `levels` are those that it finds in its first active epoch; null where it has
// none.
[[nodiscard]] ir::Effect pruning(const Component& pruner, const Policy& policy, const Value* levels);

}  // namespace sparsecfg::dialect::distiller
