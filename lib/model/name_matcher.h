#pragma once

#include <string>
#include <vector>

#include "model/selector.h"
#include "regex/pattern.h"

namespace sparsecfg::model {

// Decides for single names whether a selector matches them, using only its terms.
class NameMatcher {
 public:
  explicit NameMatcher(const Selector& selector);

  // Returns `gave_up` if the result depends on types, on exclusions, or on a pattern that takes too long.
  [[nodiscard]] regex::Match match(const std::string& name) const;

 private:
  [[nodiscard]] bool is_part(const std::string& name) const;

  std::vector<std::string> names_;
  std::vector<std::string> texts_;  // strings that match all names that are substrings
  std::vector<regex::Pattern> patterns_;
  bool all_ = false;       // true if every name matches
  bool narrowed_ = false;  // true if types or exclusions may reject a match
  bool open_ = false;      // true if a term may match any name
};

// Returns a name that the term certainly matches, found without a search; empty if there is none.
[[nodiscard]] std::string name_taken_by(const Term& term);

}  // namespace sparsecfg::model
