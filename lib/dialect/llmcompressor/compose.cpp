#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "dialect/llmcompressor/write.h"

namespace sparsecfg::dialect::llmcompressor {

// Appends the second recipe to the first. Stages run in file order and do not contain times to shift.
Composed compose(ir::Recipe base, ir::Recipe next, const ComposeOptions& /*options*/) {
  Composed out;
  std::set<std::string_view> stages;
  for (const ir::Action& action : base.actions) stages.insert(action.origin.stage);
  for (const ir::Action& action : next.actions) {
    if (stages.contains(action.origin.stage)) {
      out.problem =
          fmt::format("both recipes have a stage {}; rename one of them", base::printable(action.origin.stage));
      return out;
    }
  }
  out.recipe = std::move(base);
  std::ranges::move(next.actions, std::back_inserter(out.recipe.actions));
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
