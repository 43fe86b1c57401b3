#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/write.h"

namespace sparsecfg::dialect::llmcompressor {

// Stages are run in the order of the file and nothing in them lasts, so one recipe follows the other.
Composed compose(const ir::Recipe& base, const ir::Recipe& next, const ComposeOptions& /*options*/) {
  Composed out;
  for (const ir::Action& action : next.actions) {
    if (std::ranges::any_of(base.actions,
                            [&](const ir::Action& other) { return other.origin.stage == action.origin.stage; })) {
      out.problem = fmt::format("both have a stage {}: rename one of them", base::printable(action.origin.stage));
      return out;
    }
  }
  out.recipe = base;
  std::ranges::copy(next.actions, std::back_inserter(out.recipe.actions));
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
