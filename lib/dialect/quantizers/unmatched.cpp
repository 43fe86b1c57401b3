#include "dialect/quantizers/unmatched.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"

namespace sparsecfg::dialect::quantizers {

std::vector<std::uint32_t> unmatched_rules(const ir::Selection& selection, const ir::Decisions& decisions) {
  std::vector<bool> used(selection.rules.size(), false);
  const std::set<std::uint32_t> referenced(decisions.of_modules.begin(), decisions.of_modules.end());
  for (const std::uint32_t at : referenced) {
    const ir::Decisions::Decision& decision = decisions.entries[at];
    if (decision.rule) used[*decision.rule] = true;
    for (const std::uint32_t rule : decision.overridden) used[rule] = true;
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t at = 0; decisions.complete && at < used.size(); ++at) {
    const ir::Rule& rule = selection.rules[at];
    if (!used[at] && !rule.unknown && rule.kind != ir::Rule::Kind::leaves) out.push_back(at);
  }
  return out;
}

void forget_places(ir::Selection& selection, const std::vector<std::uint32_t>& rules) {
  for (const std::uint32_t rule : rules) selection.rules[rule].span = {};
}

std::optional<selectors::Meant> Suggestions::meant(const ir::Rule& rule) {
  selectors::Entry entry{rule.entry};
  if (++count_ > kMost || selectors::prepare(reader_, entry)) return {};
  return selectors::meant_by(reader_, entry, modules_, {}, budget_);
}

std::string Suggestions::help_for(const ir::Rule& rule) {
  const auto found = meant(rule);
  return found ? fmt::format("write `{}`, which matches {}", base::printable(found->text),
                             base::counted(found->matches, "module"))
               : std::string();
}

}  // namespace sparsecfg::dialect::quantizers
