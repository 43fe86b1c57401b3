#include "model/selectors/relation.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "model/selectors/comparison.h"
#include "regex/nfa.h"

namespace sparsecfg::selectors {

using regex::Comparison;
using regex::Nfa;

static std::optional<Nfa> language_of(const Term& term) {
  if (term.space != Space::name) return std::nullopt;
  const AnchoredPattern pattern = pattern_of(term.how, term.text);
  auto language =
      term.how == How::name_inside_entry ? Nfa::of_parts(term.text) : Nfa::of(pattern.pattern, pattern.anchoring);
  auto* known = std::get_if<Nfa>(&language);
  return known == nullptr ? std::nullopt : std::optional(std::move(*known));
}

// Returns the names that an entry matches; nullopt if they are unknown.
static std::optional<Nfa> language_of(const Entry& entry) {
  std::vector<Nfa> languages;
  for (const Term& term : entry.terms) {
    auto language = language_of(term);
    if (!language) return std::nullopt;
    languages.push_back(std::move(*language));
  }
  if (languages.size() == 1) return std::move(languages.front());
  auto joined = Nfa::either(languages);
  auto* known = std::get_if<Nfa>(&joined);
  return known == nullptr ? std::nullopt : std::optional(std::move(*known));
}

using Comparing = Comparison (*)(const Nfa& a, const Nfa& b, base::Budget& budget);

static Comparison compared(const Entry& a, const Entry& b, base::Budget& budget, Comparing compare) {
  const auto first = language_of(a);
  const auto second = first ? language_of(b) : std::nullopt;
  return second ? compare(*first, *second, budget) : Comparison();
}

Comparison intersects(const Entry& a, const Entry& b, base::Budget& budget) {
  return compared(a, b, budget, regex::intersects);
}

Comparison contains(const Entry& a, const Entry& b, base::Budget& budget) {
  if (a.terms == b.terms) return {Comparison::Answer::yes, ""};
  return compared(a, b, budget, regex::contains);
}

bool same_matches(const Entry& a, const Entry& b, base::Budget& budget) {
  return contains(a, b, budget).answer == Comparison::Answer::yes &&
         contains(b, a, budget).answer == Comparison::Answer::yes;
}

}  // namespace sparsecfg::selectors
