#pragma once

#include <string>
#include <vector>

#include "ir/recipe.h"

// Recipes one after the other as stages of one recipe.
namespace sparsecfg::dialect {

struct ComposeOptions {
  bool keep_epochs = false;   // the epochs of the later recipe stay as they are
  bool as_framework = false;  // true: exactly what the framework's own function makes, also where that can't run
};

struct Composed {
  ir::Recipe recipe;                 // its actions have their fields; what is computed of them is not there
  std::vector<std::string> remarks;  // what became of actions, beyond being moved
  std::string problem;               // why the two can't be composed; empty if they can
};

// Returns `base` followed by `next`. Both are valid, and no length is shorter than what ends in them.
using Compose = Composed (*)(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

}  // namespace sparsecfg::dialect
