#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/selector.h"
#include "regex/compare.h"

namespace sparsecfg::model {

// A selector in a form that can be compared with others without a model, by all possible names. Its names are known as
// a lower and an upper bound, because tokens (such as "all prunable"), non-regular patterns, types and exclusions can't
// be resolved without a model.
class Selection {
 public:
  explicit Selection(const Selector& selector);
  // Selects a single term over `over`.
  Selection(const Term& term, Selector::Over over);

  // Reports whether some name can be selected by both. A yes without a witness means that one of them has an inexact
  // term and the other selects everything that this term can match. A no ignores the second name of parameters that
  // quantization has wrapped (unwrapped_name()).
  friend regex::Comparison intersects(const Selection& a, const Selection& b, base::Budget& budget);

  // Reports whether `a` selects every name that `b` selects. The answer is unknown if it can't be decided. The witness
  // of a no is a name that only `b` selects.
  friend regex::Comparison contains(const Selection& a, const Selection& b, base::Budget& budget);

  // Same comparisons by names only, which are cheaper. Answers that depend on types or exclusions are unknown.
  friend regex::Comparison intersects_by_name(const Selection& a, const Selection& b, base::Budget& budget);
  friend regex::Comparison contains_by_name(const Selection& a, const Selection& b, base::Budget& budget);

 private:
  // The names that certainly match, and the names that may match.
  struct Bounds {
    std::shared_ptr<const regex::Nfa> min;
    std::shared_ptr<const regex::Nfa> max;
    bool exact = false;  // true if both are equal
  };

  struct Part {
    Term term;
    Bounds bounds;
  };

  [[nodiscard]] static Bounds bounds_of(const Term& term, Selector::Over over);
  [[nodiscard]] static Bounds joined(const std::vector<Part>& parts);
  [[nodiscard]] bool selects_all_of(const Part& part, base::Budget& budget) const;
  [[nodiscard]] bool takes_an_inexact_part_of(const Selection& other, base::Budget& budget) const;

  // Returns true if both select from the same kind of names.
  [[nodiscard]] static bool alike(const Selection& a, const Selection& b);

  Selector::Over over_;
  std::string tensor_;
  bool narrowed_ = false;  // types or exclusions restrict the selection by an unknown amount
  std::vector<Part> parts_;
  Bounds bounds_;
};

[[nodiscard]] regex::Comparison intersects(const Selection& a, const Selection& b, base::Budget& budget);
[[nodiscard]] regex::Comparison contains(const Selection& a, const Selection& b, base::Budget& budget);
[[nodiscard]] regex::Comparison intersects_by_name(const Selection& a, const Selection& b, base::Budget& budget);
[[nodiscard]] regex::Comparison contains_by_name(const Selection& a, const Selection& b, base::Budget& budget);

}  // namespace sparsecfg::model
