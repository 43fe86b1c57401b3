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
#include "regex/disjoint.h"
#include "regex/lazy_dfa.h"

namespace sparsecfg::regex {

enum class Wanted : std::uint8_t { in_both, only_in_second };

// Looks for the cheapest name that is wanted, by Dijkstra's way through pairs of subsets.
class Search {
 public:
  Search(const Nfa& a, const Nfa& b, Wanted wanted, Budget& budget)
      : alphabet_(a, b),
        a_(a, alphabet_),
        b_(&a == &b ? a_ : own_b_.emplace(b, alphabet_)),
        wanted_(wanted),
        budget_(budget) {}

  // yes where a name was found, no where there is none.
  Comparison run();

 private:
  using Number = std::uint32_t;

  // What is known of a pair of subsets: the cheapest way to it.
  struct Place {
    LazyDfa::Id a;
    LazyDfa::Id b;
    std::uint64_t cost;
    Number from;
    std::size_t sign;
  };

  using Open = std::pair<std::uint64_t, Number>;  // cost and place

  [[nodiscard]] bool is_wanted(LazyDfa::Id a, LazyDfa::Id b);
  [[nodiscard]] bool leads_nowhere(LazyDfa::Id a, LazyDfa::Id b) const;
  bool follow(Number number);
  void reach(const Place& place);
  [[nodiscard]] std::vector<std::size_t> way_to(Number number) const;
  [[nodiscard]] Comparison name_of(Number number);
  [[nodiscard]] bool proves(const std::vector<std::size_t>& signs);

  Alphabet alphabet_;
  LazyDfa a_;
  std::optional<LazyDfa> own_b_;
  LazyDfa& b_;  // the first one where a language is compared with itself: then both are always at the same subset
  Wanted wanted_;
  Budget& budget_;
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
      continue;  // a cheaper way has been found since
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
  const std::vector<Alphabet::SymbolClass>& signs = alphabet_.signs();
  if (next_a == nullptr || next_b == nullptr || !budget_.spend(signs.size())) {
    return false;
  }
  for (std::size_t sign = 0; sign < signs.size(); ++sign) {
    if (!leads_nowhere((*next_a)[sign], (*next_b)[sign])) {
      reach({(*next_a)[sign], (*next_b)[sign], place.cost + signs[sign].cost, number, sign});
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

std::vector<std::size_t> Search::way_to(Number number) const {
  std::vector<std::size_t> signs;
  for (; number != 0; number = places_[number].from) {
    signs.push_back(places_[number].sign);
  }
  std::ranges::reverse(signs);
  return signs;
}

bool Search::proves(const std::vector<std::size_t>& signs) {
  if (!budget_.spend(signs.size())) {
    return false;
  }
  LazyDfa::Id a = LazyDfa::start();
  LazyDfa::Id b = LazyDfa::start();
  for (const std::size_t sign : signs) {
    const std::vector<LazyDfa::Id>* next_a = a_.successors(a, budget_);
    const std::vector<LazyDfa::Id>* next_b = b_.successors(b, budget_);
    if (next_a == nullptr || next_b == nullptr) {
      return false;
    }
    a = (*next_a)[sign];
    b = (*next_b)[sign];
  }
  return is_wanted(a, b);
}

// A name with a character that may not exist proves nothing, but neither is there no name. Within
// it a dot is put wherever one may stand: `a.b` is meant to take "a.b", though it takes "aab" too.
Comparison Search::name_of(Number number) {
  std::vector<std::size_t> signs = way_to(number);
  std::u32string name;
  for (const std::size_t sign : signs) {
    name += alphabet_.signs()[sign].letter.character;
    if (!alphabet_.signs()[sign].exists) {
      return {};
    }
  }
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    const std::size_t before = std::exchange(signs[at], alphabet_.dot());
    if (name[at - 1] != U'.' && name[at + 1] != U'.' && proves(signs)) {
      name[at] = U'.';
    } else {
      signs[at] = before;
    }
  }
  Comparison comparison{Comparison::Answer::yes, {}};
  std::ranges::for_each(name, [&](char32_t character) { base::append_utf8(comparison.witness, character); });
  return comparison;
}

// Each set is asked about each character, to find the characters that all sets treat alike.
static std::uint64_t work_of_alphabet(const Nfa& a, const Nfa& b) {
  constexpr std::uint64_t kSigns = 128;
  return kSigns * (a.sets().size() + b.sets().size());
}

static Comparison search(const Nfa& a, const Nfa& b, Wanted wanted, Budget& budget) {
  return budget.spend(work_of_alphabet(a, b)) ? Search(a, b, wanted, budget).run() : Comparison{};
}

Comparison intersects(const Nfa& a, const Nfa& b, Budget& budget) {
  if (are_disjoint(a, b, budget)) {
    return {Comparison::Answer::no, {}};
  }
  return search(a, b, Wanted::in_both, budget);
}

Comparison intersects(const Nfa& a, const Nfa& b) {
  Budget budget;
  return intersects(a, b, budget);
}

Comparison contains(const Nfa& a, const Nfa& b, Budget& budget) {
  Comparison comparison = search(a, b, Wanted::only_in_second, budget);
  if (comparison.answer != Comparison::Answer::unknown) {
    const bool found = comparison.answer == Comparison::Answer::yes;
    comparison.answer = found ? Comparison::Answer::no : Comparison::Answer::yes;
  }
  return comparison;
}

Comparison contains(const Nfa& a, const Nfa& b) {
  Budget budget;
  return contains(a, b, budget);
}

}  // namespace sparsecfg::regex
