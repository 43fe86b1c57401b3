#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "model/selector.h"
#include "regex/pattern.h"

namespace sparsecfg::model {

// Decides for single names and modules whether a selector matches them. Names in ModelNames are faster for many names.
class Matcher {
 public:
  // Returns the names of a module's class and of its base classes that terms may name. May repeat a name.
  using Classes = std::array<std::string_view, 4> (*)(const Module& module);

  explicit Matcher(const Selector& selector, Classes classes = nullptr);
  // Matches names from their start, as Python's re.match does.
  explicit Matcher(std::string pattern);

  // Returns why Python's `re` rejects a pattern of the selector, if it does. No name matches such a pattern for sure.
  [[nodiscard]] const std::optional<regex::SyntaxError>& error() const { return error_; }

  // Returns `gave_up` if the result depends on types, on exclusions, or on a pattern that is too slow or invalid.
  [[nodiscard]] regex::Match match(std::string_view name) const;

  // Return true if a name, or the name or class of a module, certainly matches. Exclusions are ignored.
  [[nodiscard]] bool takes(std::string_view name) const;
  [[nodiscard]] bool takes(const Module& module) const;

 private:
  using Words = std::set<std::string, std::less<>>;

  void add(const Term& term);
  void add_pattern(const std::string& text);
  [[nodiscard]] bool is_part(std::string_view name) const;

  Words names_;
  Words types_;
  std::vector<std::string> texts_;  // strings that match all names that are substrings
  std::vector<regex::Pattern> patterns_;
  Classes classes_ = nullptr;
  std::optional<regex::SyntaxError> error_;
  bool all_ = false;       // true if every name matches
  bool narrowed_ = false;  // true if types or exclusions may reject a match
  bool open_ = false;      // true if a term may match any name
};

// Returns a name that the term certainly matches, found without a search, or an empty string.
[[nodiscard]] std::string name_taken_by(const Term& term);

}  // namespace sparsecfg::model
