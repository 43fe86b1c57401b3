#pragma once

#include <string>
#include <vector>

#include "ir/recipe.h"

// Composition of recipes: several recipes run one after the other as stages of one recipe.
namespace sparsecfg::dialect {

struct ComposeOptions {
  bool keep_epochs = false;   // true: do not shift the epochs of the later recipe
  bool as_framework = false;  // true: reproduce the framework's own function exactly, even if the result can't run
};

struct Composed {
  ir::Recipe recipe;                 // actions have their fields, but no computed values
  std::vector<std::string> remarks;  // changes to actions other than shifted epochs
  std::string problem;               // why the recipes can't be composed; empty on success
};

// Returns `base` followed by `next`. Precondition: both are valid, and no action ends after the length of its recipe.
using Compose = Composed (*)(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

}  // namespace sparsecfg::dialect
