#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/selector.h"
#include "regex/compare.h"

namespace sparsecfg::ir {

// A selector as it can be compared with others before any model is known: by the names that there
// could be. What its terms do not tell, such as which layers can be pruned, and patterns that are
// not regular, leave it between two bounds; so do types and exclusions that narrow it.
class Selection {
 public:
  explicit Selection(const Selector& selector);
  // The one term of a selector over `over`.
  Selection(const Term& term, Selector::Over over);

  // Returns true if a name could be taken by both. A yes without a witness holds where one of them takes
  // anything by a term that is not a name or a regular pattern: the other takes all of that. A no
  // leaves out the second name that quantization gives to a parameter (unwrapped_name()).
  friend regex::Comparison intersects(const Selection& a, const Selection& b, regex::Budget& budget);

  // Returns true if `a` takes every name that `b` takes. Only an unknown leaves that open; the witness of a
  // no is a name that only `b` takes.
  friend regex::Comparison contains(const Selection& a, const Selection& b, regex::Budget& budget);

  // The same by names alone, which costs less: what the answers hang on besides, such as types, leaves them unknown.
  friend regex::Comparison intersects_by_name(const Selection& a, const Selection& b, regex::Budget& budget);
  friend regex::Comparison contains_by_name(const Selection& a, const Selection& b, regex::Budget& budget);

 private:
  // The names that certainly match, and those that may match.
  struct Bounds {
    std::shared_ptr<const regex::Nfa> min;
    std::shared_ptr<const regex::Nfa> max;
    bool exact = false;  // true if they are the same
  };

  struct Part {
    Term term;
    Bounds bounds;
  };

  [[nodiscard]] static Bounds bounds_of(const Term& term, Selector::Over over);
  [[nodiscard]] static Bounds joined(const std::vector<Part>& parts);
  [[nodiscard]] bool takes_all_of(const Part& part, regex::Budget& budget) const;
  [[nodiscard]] bool takes_an_inexact_part_of(const Selection& other, regex::Budget& budget) const;

  // Returns true if both select among the same things.
  [[nodiscard]] static bool alike(const Selection& a, const Selection& b);

  Selector::Over over_;
  std::string tensor_;
  bool narrowed_ = false;  // takes less than its parts, and it is not told how much
  std::vector<Part> parts_;
  Bounds bounds_;
};

[[nodiscard]] regex::Comparison intersects(const Selection& a, const Selection& b, regex::Budget& budget);
[[nodiscard]] regex::Comparison contains(const Selection& a, const Selection& b, regex::Budget& budget);
[[nodiscard]] regex::Comparison intersects_by_name(const Selection& a, const Selection& b, regex::Budget& budget);
[[nodiscard]] regex::Comparison contains_by_name(const Selection& a, const Selection& b, regex::Budget& budget);

}  // namespace sparsecfg::ir
