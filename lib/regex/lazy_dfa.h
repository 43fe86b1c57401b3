#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "regex/alphabet.h"
#include "regex/budget.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

// A deterministic automaton of a language, built on demand. A subset is the set of states that the language can be in
// after the characters so far, plus the kind of the last character for word boundaries.
class LazyDfa {
 public:
  using Id = std::uint32_t;

  // The language and the alphabet must outlive this object.
  LazyDfa(const Nfa& language, const Alphabet& alphabet);

  [[nodiscard]] static constexpr Id start() { return 0; }

  // Returns the subset after each symbol of the alphabet; null if the budget is exhausted.
  [[nodiscard]] const std::vector<Id>* successors(Id id, base::Budget& budget);
  // Returns true if a name that ends here is accepted.
  [[nodiscard]] bool accepts(Id id);

  // Returns true if no continuation is accepted.
  [[nodiscard]] bool is_dead(Id id) const { return subsets_[id].states.empty(); }

  // Returns true if every continuation is accepted.
  [[nodiscard]] bool is_universal(Id id) const;

 private:
  struct Subset {
    Side before;
    std::vector<std::uint32_t> states;  // sorted
    std::vector<Id> successors;         // empty until computed
    std::optional<bool> accepts;
  };

  using Key = std::pair<Side, std::vector<std::uint32_t>>;

  Id intern(const Key& key);
  // Returns the states reachable without a character, between these sides.
  const std::vector<std::uint32_t>& closure(Id id, Side after);
  // Computes the subsets after the symbols of one side and stores them in `out`; for all symbols if no position of the
  // language depends on the side.
  void add_successors(const std::vector<std::uint32_t>& from, Side after, std::vector<Id>& out);
  // Same, for a language in a single state that consumes a character.
  void add_successors(const Nfa::State& from, Side after, std::vector<Id>& out);
  // Stores the states after one symbol in `reached_`.
  void step(const std::vector<std::uint32_t>& from, std::size_t symbol);

  const Nfa& language_;
  const Alphabet& alphabet_;
  bool has_positions_;
  bool has_boundaries_;
  std::vector<std::vector<bool>> members_;  // by set and symbol
  std::vector<Subset> subsets_;
  std::map<Key, Id> ids_;
  Key reached_;  // of one symbol; a member to reuse its memory
  std::vector<std::uint32_t> closure_;
  std::vector<std::uint64_t> seen_;  // by state: the last closure that visited it
  std::uint64_t closures_ = 0;
};

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
  [[nodiscard]] std::optional<State> walk(State from, std::string_view part, base::Budget& budget);

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
