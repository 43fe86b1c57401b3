#include "dialect/quantizers/own_schemes.h"

#include <algorithm>
#include <string>

#include "dialect/quantizers/fused_layers.h"

namespace sparsecfg::dialect::quantizers {

OwnSchemes::OwnSchemes(const ir::Assign& assign, const std::vector<model::Module>& modules)
    : assign_(assign),
      modules_(modules),
      decisions_(assign.selection.language->decide(assign.selection, assign.schemes, modules)) {}

std::vector<ir::Scheme> OwnSchemes::of(const model::Module& layer) const {
  const std::vector<std::string> parts = parts_of(layer.name);
  const bool experts = layer.name.ends_with(".experts");
  std::vector<ir::Scheme> out;
  for (std::size_t at = 0; at < modules_.size(); ++at) {
    const std::string& name = modules_[at].name;
    const bool joined = std::ranges::find(parts, name) != parts.end() || name == layer.name ||
                        (experts && name.starts_with(layer.name + "."));
    if (!joined) continue;
    const ir::Decisions::Decision& decision = decisions_.entries[decisions_.of_modules[at]];
    if (decision.reason == ir::Decisions::Reason::not_reached) continue;
    out.push_back(decision.kind == ir::Rule::Kind::assigns ? assign_.schemes[decision.scheme] : ir::Scheme());
  }
  return out;
}

}  // namespace sparsecfg::dialect::quantizers
