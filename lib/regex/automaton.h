#pragma once

#include <optional>
#include <string_view>

#include "regex/alphabet.h"
#include "regex/budget.h"
#include "regex/lazy_dfa.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

// A language walked character by character without ever going back, for names of ASCII characters
// other than the line feed. States are made when they are first reached.
class Automaton {
 public:
  using State = LazyDfa::Id;

  explicit Automaton(Nfa language);

  // Subsets refer to the language and the alphabet.
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  [[nodiscard]] static constexpr State start() { return LazyDfa::start(); }

  // The state behind a part of a name; nullopt if the budget is spent.
  [[nodiscard]] std::optional<State> walk(State from, std::string_view part, Budget& budget);

  // Returns true if a name that ends here is taken.
  [[nodiscard]] bool accepts(State state) { return subsets_.accepts(state); }

  // Returns true if no name that goes on from here is, or every one.
  [[nodiscard]] bool takes_nothing(State state) const { return subsets_.is_dead(state); }

  [[nodiscard]] bool takes_everything(State state) const { return subsets_.is_universal(state); }

 private:
  Nfa language_;
  Alphabet alphabet_;
  LazyDfa subsets_;
};

}  // namespace sparsecfg::regex
