#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"
#include "model/selector.h"

// Actions and their parts in words, for every output. Control characters are escaped, except by `numbered_name`.
namespace sparsecfg::ir {

// Returns a short description of a selector: "re:.*weight, not fc.weight".
[[nodiscard]] std::string selector_text(const model::Selector& selector);

// Returns the first selector terms of an action: "`a`, `re:b.*` and 2 more".
[[nodiscard]] std::string first_terms(const Action& action);

// Returns the class of an action, with its ordinal if it has one: "GMPruningModifier#2".
[[nodiscard]] std::string numbered_name(const Origin& origin);
[[nodiscard]] std::string printable_name(const Origin& origin);

// Returns the names of actions of one class in short: "GMPruningModifier#2", "GMPruningModifier#2 to #41", or
// "GMPruningModifier#2, #4 and 10 more". `ordinals` may be in any order.
[[nodiscard]] std::string joined_names(std::string_view class_name, std::vector<int> ordinals);

// Returns "pruning", "learning rate", "frozen parameters" ...
[[nodiscard]] std::string_view kind_of(const Effect& effect);

// Returns the timing: "epochs 0.0 to 30.0, every 0.5", "from epoch 2.0", "after 10 steps, every 5, 4 times".
[[nodiscard]] std::string when(const Action& action);

// Returns "single weights", "2:4", "blocks of 4x1", "filters" or "channels".
[[nodiscard]] std::string text_of(const Structure& structure);

// Returns timing and effect: "epochs 0.0 to 10.0, every 0.5: sparsity from 0.05 to 0.8, cubic (fast at first);
// filters".
[[nodiscard]] std::string describe(const Action& action);

}  // namespace sparsecfg::ir
