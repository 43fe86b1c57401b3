#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model_names.h"

namespace sparsecfg::model {

// Visits the names that terms match. Each name is visited once, and equal terms are matched once, so that the time is
// proportional to the names and terms even if all terms match all names.
class NameMarker {
 public:
  // The names and terms must outlive this object.
  explicit NameMarker(const ModelNames& names);

  // Calls visit(index) for the names that a term matches and no earlier term matched.
  void mark(const Term& term, auto visit) {
    if (!seen_.emplace(term.kind, term.text).second) return;
    for (const auto& [first, last] : names_.matched(term).ranges) {
      for (std::uint32_t at = next_unmarked(first); at < last; at = next_unmarked(at + 1)) {
        next_[at] = at + 1;
        visit(at);
      }
    }
  }

 private:
  // Returns the first name at or after `at` that was not visited, and shortens the way to it.
  std::uint32_t next_unmarked(std::uint32_t at);

  const ModelNames& names_;
  std::vector<std::uint32_t> next_;  // the name itself, or a later one that may be unmarked if it was visited
  std::set<std::pair<Term::Kind, std::string_view>> seen_;
};

}  // namespace sparsecfg::model
