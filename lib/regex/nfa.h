#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "regex/char_set.h"
#include "regex/pattern.h"
#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

// The names that a selector takes, as an automaton. A name has one character at least and no line
// feed. compare.h tells how two of them stand to each other.
class Nfa {
 public:
  // What Pattern matches with the same anchoring, unless the pattern has other than regular
  // constructs, is refused by Python, or is too large when its repeats are written out.
  [[nodiscard]] static std::variant<Nfa, Unsupported> of(std::string_view python_pattern, Anchoring anchoring);
  // This one name.
  [[nodiscard]] static std::variant<Nfa, Unsupported> of_name(std::string_view name);
  // Every name that is a part of the text.
  [[nodiscard]] static std::variant<Nfa, Unsupported> of_parts(std::string_view text);
  [[nodiscard]] static Nfa everything();
  [[nodiscard]] static Nfa nothing();
  // What any of them takes.
  [[nodiscard]] static std::variant<Nfa, Unsupported> either(const std::vector<Nfa>& languages);

  struct State {
    enum class Kind : std::uint8_t {
      take,    // one of the set `what`, then `next`
      split,   // `next` and `other`, without a character
      guard,   // `next` where `position` holds
      accept,  // the name ends here
      rest,    // whatever follows
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
