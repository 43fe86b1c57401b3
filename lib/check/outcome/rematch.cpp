#include "check/outcome/rematch.h"

#include <utility>

namespace sparsecfg::check {

std::vector<std::size_t> modules_matched_by(const ir::Operation& operation, std::uint32_t rule, const std::string& text,
                                            std::span<const model::Module> modules) {
  ir::Selection selection = ir::selection_of(operation);
  ir::Rule changed = selection.rules[rule];
  changed.entry = text;
  selection.rules.erase(selection.rules.begin() + rule);
  std::erase_if(selection.rules, [](const ir::Rule& each) { return each.kind != ir::Rule::Kind::leaves; });
  selection.rules.push_back(std::move(changed));
  const auto* assign = std::get_if<ir::Assign>(&operation);
  const auto schemes = assign == nullptr ? std::span<const ir::Scheme>() : std::span(assign->schemes);
  const ir::Decisions decisions = selection.language->decide(selection, schemes, modules);
  std::vector<std::size_t> out;
  for (std::size_t at = 0; decisions.complete && at < decisions.of_modules.size(); ++at) {
    if (decisions.entries[decisions.of_modules[at]].rule == selection.rules.size() - 1) out.push_back(at);
  }
  return out;
}

}  // namespace sparsecfg::check
