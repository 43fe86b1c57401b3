#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/effect.h"
#include "ir/recipe.h"
#include "model/model_names.h"

namespace sparsecfg::ir {

// Returns for each target of a pruner whether it is left without parameters: it matches none, or earlier targets match
// all of them. `parameters` are the names of the whole model; if it is null, all results are false.
[[nodiscard]] std::vector<bool> targets_without_parameters(const Prune& prune, const model::ModelNames* parameters);

// Returns the parameters of each target, in model order: those that it matches and no earlier target matches. Selectors
// over modules can't be resolved, so their targets stay empty.
[[nodiscard]] std::vector<std::vector<std::string>> parameters_of_targets(const Prune& prune,
                                                                          const model::ModelNames& parameters);

// Matches of selectors with the names of a model, and which of them is used for a name.

// A match of a term with a name.
struct Claim {
  static constexpr std::uint32_t kMaxSelector = 0x7FFFFFFF;

  std::uint32_t action = 0;         // index into the recipe's actions
  std::uint32_t selector : 31 = 0;  // index into selectors_of() the action's effect
  bool decides : 1 = true;  // false if an earlier selector of the action already matches the same tensor of this name
  const model::Term* term = nullptr;
};

// Returns the claims on each name, in the order in which the actions act. `over` is the kind of the names; selectors
// over other kinds claim nothing. Returns nullopt if there are more than 1.5 million claims.
[[nodiscard]] std::optional<std::vector<std::vector<Claim>>> claims_on(const Recipe& recipe,
                                                                       const model::ModelNames& names,
                                                                       model::Selector::Over over);

}  // namespace sparsecfg::ir
