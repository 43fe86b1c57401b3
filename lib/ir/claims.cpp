#include "ir/claims.h"

#include "ir/matching.h"

namespace sparsecfg::ir {

// One selector's claims on top of those that are there. A name is claimed by the first term that takes
// it, and has at most one claim of each selector, those of one action in a row.
static void add_claims(const Selector& selector, Claim claim, const Names& names, std::vector<std::vector<Claim>>& claims) {
  const std::vector<bool> barred = selector.excluded.empty() ? std::vector<bool>() : taken_by({selector.excluded, selector.over}, names);
  for (const Term& term : selector.terms) {
    claim.term = &term;
    for (const auto& [first, last] : names.taken(term).stretches) {
      for (std::size_t at = first; at < last; ++at) {
        const bool same_action = !claims[at].empty() && claims[at].back().action == claim.action;
        const bool claimed = same_action && claims[at].back().selector == claim.selector;
        if (claimed || (!barred.empty() && barred[at])) {
          continue;
        }
        claim.decides = !same_action;
        claims[at].push_back(claim);
      }
    }
  }
}

std::vector<std::vector<Claim>> claims_on(const Recipe& recipe, const Names& names, Selector::Over over) {
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
