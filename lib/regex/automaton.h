#pragma once

#include <optional>
#include <string_view>

#include "regex/alphabet.h"
#include "regex/budget.h"
#include "regex/lazy_dfa.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

// Matches a language character by character without backtracking, for names of ASCII characters other than line feed.
// States are created on first use.
class Automaton {
 public:
  using State = LazyDfa::Id;

  explicit Automaton(Nfa language);

  // Subsets refer to the language and the alphabet.
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  [[nodiscard]] static constexpr State start() { return LazyDfa::start(); }

  // Returns the state after a part of a name; nullopt if the budget is exhausted.
  [[nodiscard]] std::optional<State> walk(State from, std::string_view part, Budget& budget);

  // Returns true if a name that ends in this state is accepted.
  [[nodiscard]] bool accepts(State state) { return subsets_.accepts(state); }

  // Returns true if no continuation from this state is accepted.
  [[nodiscard]] bool accepts_nothing(State state) const { return subsets_.is_dead(state); }

  [[nodiscard]] bool accepts_everything(State state) const { return subsets_.is_universal(state); }

 private:
  Nfa language_;
  Alphabet alphabet_;
  LazyDfa subsets_;
};

}  // namespace sparsecfg::regex
