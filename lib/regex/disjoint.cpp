#include "regex/compare.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sparsecfg::regex {

namespace {

using Kind = Nfa::State::Kind;

constexpr std::size_t kMaxPairs = std::size_t{1} << 16;

// Characters of a set: its ASCII members, and whether it has others.
struct Characters {
  explicit Characters(const CharSet& set) : ascii(set.ascii()), beyond(set.may_go_beyond_ascii()) {}

  std::bitset<128> ascii;
  bool beyond;
};

// Visits the pairs of states that both languages can reach with the same characters.
class PairWalk {
 public:
  PairWalk(const Nfa& a, const Nfa& b)
      : a_(a),
        b_(b),
        sets_of_a_(a.sets().begin(), a.sets().end()),
        sets_of_b_(b.sets().begin(), b.sets().end()),
        seen_(a.states().size() * b.states().size()) {}

  // Returns true if no pair accepts a name and the budget sufficed to prove it.
  bool finds_nothing(base::Budget& budget) {
    reach(a_.start(), b_.start());
    while (!open_.empty() && !found_) {
      const auto [a, b] = open_.back();
      open_.pop_back();
      if (!budget.spend(1)) return false;
      follow(a, b);
    }
    return !found_;
  }

 private:
  void reach(std::uint32_t a, std::uint32_t b) {
    const std::size_t pair = a * b_.states().size() + b;
    if (!seen_[pair]) open_.emplace_back(a, b);
    seen_[pair] = true;
  }

  void follow(std::uint32_t a, std::uint32_t b) {
    const Nfa::State& one = a_.states()[a];
    const Nfa::State& other = b_.states()[b];
    if (is_free(one)) {
      reach(one.next, b);
      if (one.kind == Kind::split) reach(one.other, b);
    } else if (is_free(other)) {
      reach(a, other.next);
      if (other.kind == Kind::split) reach(a, other.other);
    } else {
      take(a, b);
    }
  }

  // Treats every position as satisfied.
  static bool is_free(const Nfa::State& state) { return state.kind == Kind::split || state.kind == Kind::guard; }

  void take(std::uint32_t a, std::uint32_t b) {
    const Nfa::State& one = a_.states()[a];
    const Nfa::State& other = b_.states()[b];
    const bool consumes = one.kind == Kind::consume;
    const bool other_consumes = other.kind == Kind::consume;
    if (!consumes && !other_consumes) {
      found_ = true;
    } else if (!consumes && one.kind == Kind::rest) {
      reach(a, other.next);
    } else if (!other_consumes && other.kind == Kind::rest) {
      reach(one.next, b);
    } else if (consumes && other_consumes && share(sets_of_a_[one.what], sets_of_b_[other.what])) {
      reach(one.next, other.next);
    }
  }

  static bool share(const Characters& one, const Characters& other) {
    return (one.beyond && other.beyond) || (one.ascii & other.ascii).any();
  }

  const Nfa& a_;
  const Nfa& b_;
  std::vector<Characters> sets_of_a_;
  std::vector<Characters> sets_of_b_;
  std::vector<bool> seen_;  // indexed by both states
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open_;
  bool found_ = false;
};

}  // namespace

bool are_disjoint(const Nfa& a, const Nfa& b, base::Budget& budget) {
  return &a != &b && a.states().size() <= kMaxPairs / b.states().size() && PairWalk(a, b).finds_nothing(budget);
}

}  // namespace sparsecfg::regex
