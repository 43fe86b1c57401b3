#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dialect/nni/config.h"
#include "model/matcher.h"
#include "model/selector.h"
#include "regex/budget.h"

namespace sparsecfg::dialect::nni {

// The selection of an entry without a model: modules with one of the names and one of the types (if given) that are not
// excluded, and their targets.
class Reach {
 public:
  // of() reads the keys of NNI 3.0, of_older() the keys of earlier releases.
  [[nodiscard]] static Reach of(const Entry& entry);
  [[nodiscard]] static Reach of_older(const Entry& entry);

  // Returns true if it is certain that every module that `other` selects is also selected by one of `reaches`, for the
  // same targets.
  [[nodiscard]] static bool cover(const std::vector<const Reach*>& reaches, const Reach& other, base::Budget& budget);

  // Returns the types that named modules of `other` probably have, such as Linear for `fc1`, if `reach` selects all
  // modules of each of these types and names; empty if it is not likely that `reach` selects all modules of `other`.
  [[nodiscard]] static std::vector<std::string> likely_cover(const Reach& reach, const Reach& other,
                                                             base::Budget& budget);

 private:
  enum class ExclusionKind : std::uint8_t { type, name, pattern };
  using Exclusion = std::pair<ExclusionKind, std::string>;

  void prepare(model::Selector names);
  [[nodiscard]] bool keeps(const Reach& other) const;
  [[nodiscard]] bool lacks(const Exclusion& exclusion) const;
  [[nodiscard]] static bool cover_type(const std::vector<const Reach*>& reaches, const Reach& other,
                                       const std::string* type, base::Budget& budget);

  std::set<std::string> types_;
  model::Selector names_;
  std::shared_ptr<const model::Matcher> matcher_;  // matches `names_`
  std::vector<std::string> samples_;               // names that the entry certainly selects
  std::set<Exclusion> excluded_;
  std::set<std::string> targets_;  // empty: the default targets of the types
  bool more_targets_ = false;      // true if `target_settings` may add targets
};

}  // namespace sparsecfg::dialect::nni
