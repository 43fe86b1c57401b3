#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "regex/alphabet.h"
#include "regex/budget.h"
#include "regex/nfa.h"

namespace sparsecfg::regex {

// The automaton of a language made deterministic as far as it is walked: its subsets are the sets
// of states in which the language may be behind the characters seen so far, together with what
// the last of them was to a word boundary.
class LazyDfa {
 public:
  using Id = std::uint32_t;

  // The language and the alphabet must outlive the subsets.
  LazyDfa(const Nfa& language, const Alphabet& alphabet);

  [[nodiscard]] static constexpr Id start() { return 0; }

  // The subset behind each sign of the alphabet; nothing where the budget is spent.
  [[nodiscard]] const std::vector<Id>* successors(Id id, Budget& budget);
  // Returns true if a name that ends here is taken.
  [[nodiscard]] bool accepts(Id id);

  // Returns true if nothing is taken from here on.
  [[nodiscard]] bool is_dead(Id id) const { return subsets_[id].states.empty(); }

  // Returns true if everything is.
  [[nodiscard]] bool is_universal(Id id) const;

 private:
  struct Subset {
    Side before;
    std::vector<std::uint32_t> states;  // sorted
    std::vector<Id> successors;         // empty until asked for
    std::optional<bool> accepts;
  };

  using Key = std::pair<Side, std::vector<std::uint32_t>>;

  Id intern(const Key& key);
  // The states behind all edges that need no character, between these sides.
  const std::vector<std::uint32_t>& closure(Id id, Side after);
  // The subsets behind the signs of one side, put into their places of `out`; behind all signs where no position of the
  // language asks for a side.
  void add_successors(const std::vector<std::uint32_t>& from, Side after, std::vector<Id>& out);
  // The same where the language is in one state alone, which takes a character.
  void add_successors(const Nfa::State& from, Side after, std::vector<Id>& out);
  // Puts the states behind one sign into `reached_`.
  void step(const std::vector<std::uint32_t>& from, std::size_t sign);

  const Nfa& language_;
  const Alphabet& alphabet_;
  bool has_positions_;
  bool has_boundaries_;
  std::vector<std::vector<bool>> members_;  // by set and sign
  std::vector<Subset> subsets_;
  std::map<Key, Id> ids_;
  Key reached_;  // of one sign; a member, so that its memory is used again
  std::vector<std::uint32_t> closure_;
  std::vector<std::uint64_t> seen_;  // by state: the closure that saw it last
  std::uint64_t closures_ = 0;
};

}  // namespace sparsecfg::regex
