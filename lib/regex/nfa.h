#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "regex/char_set.h"
#include "regex/pattern.h"
#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

// The names that a selector accepts, as an automaton. A name has at least one character and no line feed. See compare.h
// for comparing automata.
class Nfa {
 public:
  // Builds the language that Pattern matches with the same anchoring. Fails if the pattern contains non-regular
  // constructs, if Python rejects it, or if it is too large with its repeats expanded.
  [[nodiscard]] static std::variant<Nfa, Unsupported> of(std::string_view python_pattern, Anchoring anchoring);
  // Builds the language of a single name.
  [[nodiscard]] static std::variant<Nfa, Unsupported> of_name(std::string_view name);
  // Builds the language of the substrings of the text.
  [[nodiscard]] static std::variant<Nfa, Unsupported> of_parts(std::string_view text);
  [[nodiscard]] static Nfa everything();
  [[nodiscard]] static Nfa nothing();
  // Builds the union of the languages.
  [[nodiscard]] static std::variant<Nfa, Unsupported> either(const std::vector<Nfa>& languages);

  struct State {
    enum class Kind : std::uint8_t {
      consume,  // one of the set `what`, then `next`
      split,    // `next` and `other`, without a character
      guard,    // `next` if `position` matches
      accept,   // end of the name
      rest,     // any continuation
    };
    Kind kind = Kind::accept;
    Position position;
    std::uint32_t what = 0;
    std::uint32_t next = 0;
    std::uint32_t other = 0;
  };

  [[nodiscard]] const std::vector<State>& states() const { return states_; }

  [[nodiscard]] const std::vector<CharSet>& sets() const { return sets_; }

  [[nodiscard]] std::uint32_t start() const { return start_; }

 private:
  friend class Builder;

  std::vector<State> states_;
  std::vector<CharSet> sets_;
  std::uint32_t start_ = 0;
};

}  // namespace sparsecfg::regex
