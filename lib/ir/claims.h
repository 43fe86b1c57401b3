#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/model_names.h"
#include "ir/recipe.h"

// Who wants which name of a model, and who gets it.
namespace sparsecfg::ir {

// That a term takes a name.
struct Claim {
  std::size_t action = 0;    // index into the recipe's actions
  std::size_t selector = 0;  // index into selectors_of() the action's effect
  const Term* term = nullptr;
  bool decides = true;  // false: an earlier selector of the action has the name, and the same tensor of it, already
};

// For each name the claims on it, in the order in which actions act. `over` says what the names are
// of: selectors over anything else claim nothing. Nothing where there are more than ten million.
[[nodiscard]] std::optional<std::vector<std::vector<Claim>>> claims_on(const Recipe& recipe, const ModelNames& names,
                                                                       Selector::Over over);

}  // namespace sparsecfg::ir
