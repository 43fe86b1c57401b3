#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/effect.h"
#include "ir/model_names.h"
#include "ir/recipe.h"

namespace sparsecfg::ir {

// For each target of a pruner whether no parameter is left to it: none that it takes, or none that
// an earlier target has not taken before. `parameters` are the names of the whole model; where it
// is null nothing is known to be empty.
[[nodiscard]] std::vector<bool> targets_without_parameters(const Prune& prune, const ModelNames* parameters);

// Which of the names a selector takes by its terms, whatever it excludes. Of one over layers only
// what is known from the names of parameters.
[[nodiscard]] std::vector<bool> taken_by(const Selector& selector, const ModelNames& names);

// Which of the parameters each target of a pruner gets: those it takes and no earlier one has taken.
// In their order. Nothing can be said of selectors over modules; they get none.
[[nodiscard]] std::vector<std::vector<std::string>> parameters_of_targets(const Prune& prune,
                                                                          const ModelNames& parameters);

// Returns true if a text holds characters that patterns have and names do not.
[[nodiscard]] bool looks_like_pattern(std::string_view text);

// Which selectors match which name of a model, and which of them decides.

// A match: a term matches a name.
struct Claim {
  static constexpr std::uint32_t kMaxSelector = 0x7FFFFFFF;

  std::uint32_t action = 0;         // index into the recipe's actions
  std::uint32_t selector : 31 = 0;  // index into selectors_of() the action's effect
  bool decides : 1 = true;  // false: an earlier selector of the action has the name, and the same tensor of it, already
  const Term* term = nullptr;
};

// For each name the claims on it, in the order in which actions act. `over` says what the names are
// of: selectors over anything else claim nothing. Returns nullopt if there are more than a million and a half.
[[nodiscard]] std::optional<std::vector<std::vector<Claim>>> claims_on(const Recipe& recipe, const ModelNames& names,
                                                                       Selector::Over over);

// Returns true if a text can be the name of a class, which begins with a capital and has no dots.
[[nodiscard]] bool looks_like_type(std::string_view text);

}  // namespace sparsecfg::ir
