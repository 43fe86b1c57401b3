#pragma once

#include <string>

#include "compile.h"
#include "ir/recipe.h"

// Short descriptions of actions.
namespace sparsecfg::diff {

// Returns "single weights", "2:4", "blocks of 4x1", "filters" or "channels".
[[nodiscard]] std::string text_of(const ir::Structure& structure);

// Returns the timing: "epochs 0.0 to 30.0, every 0.5", "from epoch 2.0", "after 10 steps, every 5, 4 times".
[[nodiscard]] std::string when(const ir::Action& action);

// Returns "GMPruningModifier#2 (line 8): epochs 0.0 to 30.0, every 0.5, from 0.05 to 0.85".
[[nodiscard]] std::string describe(const ir::Action& action, const source::SourceFile& file);

// Returns the first terms of an action's selectors, as written.
[[nodiscard]] std::string selected_by(const ir::Action& action);

[[nodiscard]] std::string name_of(const ir::Action& action);

}  // namespace sparsecfg::diff
