#pragma once

#include <string>
#include <vector>

#include "ir/selector.h"
#include "regex/pattern.h"

namespace sparsecfg::ir {

// Tells for single names whether a selector takes them, as far as its terms alone tell that.
class NameMatcher {
 public:
  explicit NameMatcher(const Selector& selector);

  // `gave_up` if that depends on types, on what is excluded or on a pattern that takes too long.
  [[nodiscard]] regex::Match match(const std::string& name) const;

 private:
  [[nodiscard]] bool is_part(const std::string& name) const;

  std::vector<std::string> names_;
  std::vector<std::string> texts_;  // of which each part is taken
  std::vector<regex::Pattern> patterns_;
  bool all_ = false;       // true if every name is taken
  bool narrowed_ = false;  // true if what terms take may be left out
  bool open_ = false;      // true if a term may take any name
};

// A name that the term certainly takes, found without a search; empty if none is.
[[nodiscard]] std::string name_taken_by(const Term& term);

}  // namespace sparsecfg::ir
