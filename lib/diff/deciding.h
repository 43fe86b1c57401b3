#pragma once

#include <string>
#include <vector>

#include "ir/recipe.h"

// Compares the fields that decide a value which is not known, such as a sparsity that depends on the weights.
namespace sparsecfg::diff {

// The result: the same, different in fields that are named, or not comparable.
struct Deciding {
  bool same = false;
  std::vector<std::string> changed;  // "`gamma`: 0.9 -> 0.5"; empty and not the same: not comparable
};

// Compares two lists of actions, which are indices. The actions act in the order of the recipe. They are the same only
// if they have the same effects at the same times and all their fields are equal.
[[nodiscard]] Deciding compare_deciding(const ir::Recipe& before, std::vector<std::size_t> one, const ir::Recipe& after,
                                        std::vector<std::size_t> other);

// Returns true if all actions and settings of two recipes are the same, so that all values are equal, also unknown
// ones.
[[nodiscard]] bool have_same_actions(const ir::Recipe& before, const ir::Recipe& after);

}  // namespace sparsecfg::diff
