#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dialect/nni/config.h"
#include "ir/name_matcher.h"
#include "ir/selector.h"
#include "regex/budget.h"

namespace sparsecfg::dialect::nni {

// What an entry selects, as far as that is known before any model is known: modules of one of these
// names and of one of these types, where either is given, and none that are excluded; and of these the
// same targets.
class Reach {
 public:
  // By the keys of NNI 3.0, or by those of the releases before it.
  [[nodiscard]] static Reach of(const Entry& entry);
  [[nodiscard]] static Reach of_older(const Entry& entry);

  // Returns true if it is certain that every module that `other` selects is selected by one of `reaches` too, for the
  // same targets.
  [[nodiscard]] static bool cover(const std::vector<const Reach*>& reaches, const Reach& other, regex::Budget& budget);

 private:
  void add_names(const std::set<std::string>& texts, ir::Term::Kind kind);
  void prepare();
  [[nodiscard]] bool keeps(const Reach& other) const;
  [[nodiscard]] static bool cover_type(const std::vector<const Reach*>& reaches, const Reach& other,
                                       const std::string* type, regex::Budget& budget);

  std::set<std::string> types_;
  ir::Selector names_;
  std::shared_ptr<const ir::NameMatcher> matcher_;          // of those names
  std::vector<std::string> samples_;                        // names that are certainly selected
  std::set<std::pair<std::string, std::string>> excluded_;  // keys and texts
  std::set<std::string> targets_;                           // none: those that the types have by default
  bool more_targets_ = false;                               // true if `target_settings` may add to those
};

}  // namespace sparsecfg::dialect::nni
