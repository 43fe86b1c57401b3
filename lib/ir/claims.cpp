#include "ir/matching.h"

#include <utility>

namespace sparsecfg::ir {

namespace {

class Register {
 public:
  Register(const ModelNames& names, std::size_t max)
      : names_(names), claims_(names.size()), replaced_(names.size()), left_(max) {}

  // Adds one selector's claims; returns false if there are too many. A name is
  // claimed by the first term that takes it, and has at most one claim of each selector, those of
  // one action in a row.
  bool add(const Selector& selector, Claim claim) {
    tensors_.resize(claim.selector);
    tensors_.push_back(selector.tensor);
    const std::vector<bool>& barred = barred_by(selector);
    for (const Term& term : selector.terms) {
      claim.term = &term;
      const auto stretches = names_.matched(term).stretches;
      for (const auto& [first, last] : stretches) {
        for (std::size_t at = first; at < last; ++at) {
          if (barred.empty() || !barred[at]) add(at, claim);
        }
      }
      if (left_ == 0) {
        return false;
      }
      if (stretches.size() == 1 && stretches[0].second - stretches[0].first == names_.size()) {
        return true;  // nothing is left for the terms behind it
      }
    }
    return true;
  }

  // Takes from earlier actions what the last one replaces. What was taken from them before need not be looked at again.
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
  const std::vector<bool>& barred_by(const Selector& selector) {
    if (excluded_.changes_to(selector.excluded)) {
      barred_ = selector.excluded.empty() ? std::vector<bool>() : taken_by({selector.excluded, selector.over}, names_);
    }
    return barred_;
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

  const ModelNames& names_;
  std::vector<std::vector<Claim>> claims_;
  std::vector<std::size_t> replaced_;  // by name: of so many claims those that may be replaced have been
  base::LastList<Term> excluded_;
  std::vector<bool> barred_;
  std::vector<std::string_view> tensors_;  // by selector of the action
  std::size_t left_;
};

}  // namespace

static bool replaces(const Action& action) {
  const auto* quantize = std::get_if<Quantize>(&action.effect);
  return quantize != nullptr && quantize->replaces;
}

std::optional<std::vector<std::vector<Claim>>> claims_on(const Recipe& recipe, const ModelNames& names,
                                                         Selector::Over over) {
  constexpr std::size_t kMaxCount = 1'500'000;
  Register claims(names, kMaxCount);
  for (std::uint32_t action = 0; action < recipe.actions.size(); ++action) {
    const std::vector<const Selector*> selectors = selectors_of(recipe.actions[action].effect);
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
