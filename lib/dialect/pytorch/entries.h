#pragma once

#include <optional>
#include <string>

#include "dialect/pytorch/courses.h"
#include "dialect/pytorch/python_text.h"
#include "dialect/write.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::pytorch {

// What an action is in the list of the file.
struct Entry {
  std::optional<Text> text{};  // nothing: it needs none
  std::string refused{};       // why it can't be written; empty: it can
};

// The call that makes an action of the runtime's, and in `parts` what it needs of the runtime.
[[nodiscard]] Entry entry_of(const ir::Action& action, const ir::Recipe& recipe, const WriteOptions& options,
                             Parts& parts);

}  // namespace sparsecfg::dialect::pytorch
