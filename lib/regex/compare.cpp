#include "regex/compare.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "regex/alphabet.h"
#include "regex/lazy_dfa.h"

namespace sparsecfg::regex {

enum class Wanted : std::uint8_t { in_both, only_in_second };

// Finds the cheapest name that satisfies the question, with Dijkstra's algorithm on pairs of subsets.
class Search {
 public:
  Search(const Nfa& a, const Nfa& b, Wanted wanted, base::Budget& budget)
      : alphabet_(a, b),
        a_(a, alphabet_),
        b_(&a == &b ? a_ : own_b_.emplace(b, alphabet_)),
        wanted_(wanted),
        budget_(budget) {}

  // Returns yes if a name was found, no if none exists.
  Comparison run();

 private:
  using Number = std::uint32_t;

  // The cheapest known path to a pair of subsets.
  struct Place {
    LazyDfa::Id a;
    LazyDfa::Id b;
    std::uint64_t cost;
    Number from;
    std::size_t symbol;
  };

  using Open = std::pair<std::uint64_t, Number>;  // cost and place

  [[nodiscard]] bool is_wanted(LazyDfa::Id a, LazyDfa::Id b);
  [[nodiscard]] bool leads_nowhere(LazyDfa::Id a, LazyDfa::Id b) const;
  bool follow(Number number);
  void reach(const Place& place);
  [[nodiscard]] std::vector<std::size_t> path_to(Number number) const;
  [[nodiscard]] Comparison name_of(Number number);
  [[nodiscard]] bool proves(const std::vector<std::size_t>& symbols);

  Alphabet alphabet_;
  LazyDfa a_;
  std::optional<LazyDfa> own_b_;
  LazyDfa& b_;  // same as a_ if a language is compared with itself; both are then always in the same subset
  Wanted wanted_;
  base::Budget& budget_;
  std::vector<Place> places_;
  std::map<std::pair<LazyDfa::Id, LazyDfa::Id>, Number> numbers_;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

Comparison Search::run() {
  reach({LazyDfa::start(), LazyDfa::start(), 0, 0, 0});
  while (!open_.empty()) {
    const auto [cost, number] = open_.top();
    open_.pop();
    if (cost != places_[number].cost) {
      continue;  // a cheaper path was found meanwhile
    }
    if (number != 0 && is_wanted(places_[number].a, places_[number].b)) {
      return name_of(number);
    }
    if (!follow(number)) {
      return {};
    }
  }
  return {Comparison::Answer::no, {}};
}

bool Search::is_wanted(LazyDfa::Id a, LazyDfa::Id b) {
  return b_.accepts(b) && a_.accepts(a) == (wanted_ == Wanted::in_both);
}

bool Search::leads_nowhere(LazyDfa::Id a, LazyDfa::Id b) const {
  return b_.is_dead(b) || (wanted_ == Wanted::in_both ? a_.is_dead(a) : a_.is_universal(a));
}

bool Search::follow(Number number) {
  const Place place = places_[number];
  const std::vector<LazyDfa::Id>* next_a = a_.successors(place.a, budget_);
  const std::vector<LazyDfa::Id>* next_b = b_.successors(place.b, budget_);
  const std::vector<Alphabet::SymbolClass>& symbols = alphabet_.symbols();
  if (next_a == nullptr || next_b == nullptr || !budget_.spend(symbols.size())) {
    return false;
  }
  for (std::size_t symbol = 0; symbol < symbols.size(); ++symbol) {
    if (!leads_nowhere((*next_a)[symbol], (*next_b)[symbol])) {
      reach({(*next_a)[symbol], (*next_b)[symbol], place.cost + symbols[symbol].cost, number, symbol});
    }
  }
  return true;
}

void Search::reach(const Place& place) {
  const auto [found, is_new] = numbers_.emplace(std::pair(place.a, place.b), static_cast<Number>(places_.size()));
  if (is_new) {
    places_.push_back(place);
  } else if (place.cost < places_[found->second].cost) {
    places_[found->second] = place;
  } else {
    return;
  }
  open_.emplace(place.cost, found->second);
}

std::vector<std::size_t> Search::path_to(Number number) const {
  std::vector<std::size_t> symbols;
  for (; number != 0; number = places_[number].from) {
    symbols.push_back(places_[number].symbol);
  }
  std::ranges::reverse(symbols);
  return symbols;
}

bool Search::proves(const std::vector<std::size_t>& symbols) {
  if (!budget_.spend(symbols.size())) {
    return false;
  }
  LazyDfa::Id a = LazyDfa::start();
  LazyDfa::Id b = LazyDfa::start();
  for (const std::size_t symbol : symbols) {
    const std::vector<LazyDfa::Id>* next_a = a_.successors(a, budget_);
    const std::vector<LazyDfa::Id>* next_b = b_.successors(b, budget_);
    if (next_a == nullptr || next_b == nullptr) {
      return false;
    }
    a = (*next_a)[symbol];
    b = (*next_b)[symbol];
  }
  return is_wanted(a, b);
}

// Returns unknown if the name contains a character that may not exist. Replaces characters with a dot where possible:
// `a.b` is meant to match "a.b", although it matches "aab" as well.
Comparison Search::name_of(Number number) {
  std::vector<std::size_t> symbols = path_to(number);
  std::u32string name;
  for (const std::size_t symbol : symbols) {
    name += alphabet_.symbols()[symbol].letter.character;
    if (!alphabet_.symbols()[symbol].exists) {
      return {};
    }
  }
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    const std::size_t before = std::exchange(symbols[at], alphabet_.dot());
    if (name[at - 1] != U'.' && name[at + 1] != U'.' && proves(symbols)) {
      name[at] = U'.';
    } else {
      symbols[at] = before;
    }
  }
  Comparison comparison{Comparison::Answer::yes, {}};
  std::ranges::for_each(name, [&](char32_t character) { base::append_utf8(comparison.witness, character); });
  return comparison;
}

// Returns the work of testing each character against each set. This finds the characters that every set treats alike.
static std::size_t work_of_alphabet(const Nfa& a, const Nfa& b) {
  constexpr std::size_t kSymbols = 128;
  return kSymbols * (a.sets().size() + b.sets().size());
}

static Comparison search(const Nfa& a, const Nfa& b, Wanted wanted, base::Budget& budget) {
  return budget.spend(work_of_alphabet(a, b)) ? Search(a, b, wanted, budget).run() : Comparison{};
}

Comparison intersects(const Nfa& a, const Nfa& b, base::Budget& budget) {
  if (are_disjoint(a, b, budget)) {
    return {Comparison::Answer::no, {}};
  }
  return search(a, b, Wanted::in_both, budget);
}

Comparison contains(const Nfa& a, const Nfa& b, base::Budget& budget) {
  Comparison comparison = search(a, b, Wanted::only_in_second, budget);
  if (comparison.answer != Comparison::Answer::unknown) {
    const bool found = comparison.answer == Comparison::Answer::yes;
    comparison.answer = found ? Comparison::Answer::no : Comparison::Answer::yes;
  }
  return comparison;
}

}  // namespace sparsecfg::regex
