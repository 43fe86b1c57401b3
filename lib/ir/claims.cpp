#include "ir/claims.h"

#include <algorithm>

#include "ir/matching.h"

namespace sparsecfg::ir {

// One selector's claims on top of those that are there. A name is claimed by the first term that takes it.
static void add_claims(const Selector& selector, Claim claim, const std::vector<std::string>& names,
                       std::vector<std::vector<Claim>>& claims) {
  Selector excluded{selector.excluded, selector.over};
  const std::vector<bool> barred = taken_by(excluded, names);
  std::vector<bool> claimed(names.size(), false);
  for (const Term& term : selector.terms) {
    const std::vector<bool> taken = taken_by({{term}, selector.over}, names);
    claim.term = &term;
    for (std::size_t at = 0; at < names.size(); ++at) {
      if (!taken[at] || barred[at] || claimed[at]) {
        continue;
      }
      claimed[at] = true;
      claim.decides = std::ranges::none_of(claims[at], [&](const Claim& other) { return other.action == claim.action; });
      claims[at].push_back(claim);
    }
  }
}

std::vector<std::vector<Claim>> claims_on(const Recipe& recipe, const std::vector<std::string>& names, Selector::Over over) {
  std::vector<std::vector<Claim>> claims(names.size());
  for (std::size_t action = 0; action < recipe.actions.size(); ++action) {
    const std::vector<const Selector*> selectors = selectors_of(recipe.actions[action].effect);
    for (std::size_t index = 0; index < selectors.size(); ++index) {
      if (selectors[index]->over == over) {
        add_claims(*selectors[index], {action, index}, names, claims);
      }
    }
  }
  return claims;
}

}  // namespace sparsecfg::ir
