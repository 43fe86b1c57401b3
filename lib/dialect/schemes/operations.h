#pragma once

#include <vector>

#include "dialect/schemes/schemes.h"
#include "ir/recipe.h"

// Lowers groups of compressed-tensors to operations.
namespace sparsecfg::dialect::schemes {

// Returns the format that complete arguments describe.
[[nodiscard]] ir::TensorFormat format_of(const source::Value& arguments);

// Returns the scheme of a complete group.
[[nodiscard]] ir::Scheme scheme_of(const source::Value& group);

// Returns the assignment by complete groups, by name in order.
[[nodiscard]] ir::Assign assign_of(const source::Map& groups, const std::vector<Entry>& ignored, ir::Method method);

// Returns the operations of an action with schemes: the assignment and the scheme of the cache, if it has them.
[[nodiscard]] std::vector<ir::Operation> scheme_operations(const ir::Origin& origin, const ir::Method& method);

}  // namespace sparsecfg::dialect::schemes
