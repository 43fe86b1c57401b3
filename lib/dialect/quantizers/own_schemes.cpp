#include "dialect/quantizers/own_schemes.h"

#include "dialect/quantizers/fused_layers.h"

namespace sparsecfg::dialect::quantizers {

OwnSchemes::OwnSchemes(const ir::Assign& assign, const std::vector<model::Module>& modules)
    : assign_(assign),
      decisions_(assign.selection.language->decide(assign.selection, assign.schemes, modules)),
      members_(modules.size()) {
  for (std::uint32_t at = 0; at < modules.size(); ++at) members_[layer_of(modules[at].name)].push_back(at);
}

std::vector<ir::Scheme> OwnSchemes::of(const std::string& layer) const {
  std::vector<ir::Scheme> out;
  const auto members = members_.find(layer);
  if (members == members_.end()) return out;
  for (const std::uint32_t at : members->second) {
    const ir::Decisions::Decision& decision = decisions_.entries[decisions_.of_modules[at]];
    if (decision.reason == ir::Decisions::Reason::not_reached) continue;
    out.push_back(decision.kind == ir::Rule::Kind::assigns ? assign_.schemes[decision.scheme] : ir::Scheme());
  }
  return out;
}

}  // namespace sparsecfg::dialect::quantizers
