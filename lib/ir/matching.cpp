#include "ir/matching.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "model/name_marker.h"

namespace sparsecfg::ir {

std::vector<bool> targets_without_parameters(const Prune& prune, const model::ModelNames* parameters) {
  std::vector<bool> empty(prune.targets.size(), false);
  const auto knows = [](const Target& target) { return target.selector.over == model::Selector::Over::parameters; };
  // Parameter names don't show which parameters are selected by names and types of layers.
  if (parameters == nullptr || !std::ranges::all_of(prune.targets, knows)) {
    return empty;
  }
  model::NameMarker marker(*parameters);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    empty[target] = true;
    for (const model::Term& term : prune.targets[target].selector.terms) {
      marker.mark(term, [&](std::size_t) { empty[target] = false; });
    }
  }
  return empty;
}

std::vector<std::vector<std::string>> parameters_of_targets(const Prune& prune, const model::ModelNames& parameters) {
  std::vector<std::vector<std::string>> out(prune.targets.size());
  model::NameMarker marker(parameters);
  for (std::size_t target = 0; target < prune.targets.size(); ++target) {
    const model::Selector& selector = prune.targets[target].selector;
    std::vector<std::size_t> places;
    for (const model::Term& term : selector.terms) {
      if (selector.over == model::Selector::Over::parameters)
        marker.mark(term, [&](std::size_t at) { places.push_back(at); });
    }
    std::ranges::sort(places);
    for (const std::size_t at : places) {
      out[target].push_back(parameters[at]);
    }
  }
  return out;
}

// --- claims ------------------------------------------------------------------------------------------

namespace {

class Register {
  static constexpr std::size_t kLooks = 16;  // names that are looked at for each claim

 public:
  Register(const model::ModelNames& names, std::size_t max)
      : names_(names), claims_(names.size()), replaced_(names.size()), left_(max), looks_left_(kLooks * max) {}

  // Adds the claims of one selector. Returns false if the limit of claims is exceeded, or if far more names are looked
  // at than claimed, because many terms match the same names. A name is claimed by the first matching term. It has at
  // most one claim per selector, and the claims of one action are adjacent.
  bool add(const model::Selector& selector, Claim claim) {
    tensors_.resize(claim.selector);
    tensors_.push_back(selector.tensor);
    const std::vector<bool>& barred = exclusions_of(selector);
    for (const model::Term& term : selector.terms) {
      claim.term = &term;
      const auto ranges = names_.matched(term).ranges;
      for (const auto& [first, last] : ranges) {
        looks_left_ -= std::min<std::size_t>(looks_left_, last - first);
        for (std::size_t at = first; at < last; ++at) {
          if (barred.empty() || !barred[at]) add(at, claim);
        }
      }
      if (left_ == 0 || looks_left_ == 0) {
        return false;
      }
      if (ranges.size() == 1 && ranges[0].second - ranges[0].first == names_.size()) {
        return true;  // later terms can't match anything else
      }
    }
    return true;
  }

  // Clears `decides` in earlier claims that the last action replaces. `replaced_` avoids visiting a claim twice.
  void replace(std::size_t action, auto may_be_replaced) {
    for (std::size_t name = 0; name < claims_.size(); ++name) {
      std::vector<Claim>& claims = claims_[name];
      const bool taken = !claims.empty() && claims.back().action == action;
      for (std::size_t& at = replaced_[name]; taken && claims[at].action != action; ++at) {
        if (may_be_replaced(claims[at].action)) claims[at].decides = false;
      }
    }
  }

  std::vector<std::vector<Claim>> take() { return std::move(claims_); }

 private:
  // Returns for each name whether a selector excludes it; empty if it excludes none.
  const std::vector<bool>& exclusions_of(const model::Selector& selector) {
    if (excluded_.changes_to(selector.excluded)) {
      excluded_names_ = selector.excluded.empty() ? std::vector<bool>()
                                                  : model::matched_names({selector.excluded, selector.over}, names_);
    }
    return excluded_names_;
  }

  void add(std::size_t at, Claim claim) {
    std::vector<Claim>& others = claims_[at];
    if (left_ == 0 ||
        (!others.empty() && others.back().action == claim.action && others.back().selector == claim.selector)) {
      return;
    }
    claim.decides = true;
    for (auto other = others.rbegin(); claim.decides && other != others.rend() && other->action == claim.action;
         ++other) {
      claim.decides = tensors_[other->selector] != tensors_[claim.selector];
    }
    others.push_back(claim);
    --left_;
  }

  const model::ModelNames& names_;
  std::vector<std::vector<Claim>> claims_;
  std::vector<std::size_t> replaced_;  // by name: number of claims already checked for replacement
  base::LastList<model::Term> excluded_;
  std::vector<bool> excluded_names_;
  std::vector<std::string_view> tensors_;  // by selector of the current action
  std::size_t left_;
  std::size_t looks_left_;
};

}  // namespace

static bool replaces(const Action& action) {
  const auto* quantize = std::get_if<Quantize>(&action.effect);
  return quantize != nullptr && quantize->replaces;
}

std::optional<std::vector<std::vector<Claim>>> claims_on(const Recipe& recipe, const model::ModelNames& names,
                                                         model::Selector::Over over) {
  Register claims(names, limits::kMaxClaims);
  for (std::uint32_t action = 0; action < recipe.actions.size(); ++action) {
    const std::vector<const model::Selector*> selectors = selectors_of(recipe.actions[action].effect);
    for (std::uint32_t index = 0; index < selectors.size(); ++index) {
      if (selectors[index]->over == over &&
          !claims.add(*selectors[index], Claim{.action = action, .selector = index & Claim::kMaxSelector})) {
        return std::nullopt;
      }
    }
    if (replaces(recipe.actions[action])) {
      claims.replace(action, [&](std::size_t other) { return replaces(recipe.actions[other]); });
    }
  }
  return claims.take();
}

}  // namespace sparsecfg::ir
