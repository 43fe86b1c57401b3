#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/distiller/rules.h"
#include "regex/compare.h"

namespace sparsecfg::dialect::distiller {

// One pattern, as it stands in the regular expression that Distiller makes of all patterns.
struct Override {
  std::string pattern;
  Span key;
  std::size_t groups = 0;  // that it captures by itself
  bool shifted = false;    // true if a pattern above it captures
  std::optional<regex::Nfa> matched;
  bool reported = false;  // true if something is wrong with how it is written
};

// Returns the part of Distiller's expression that stands for a pattern: `(^pattern$)`.
[[nodiscard]] std::string wrapped(std::string_view pattern);

// Returns where numbered groups begin: `(` that is not escaped, not in a set, and not followed by `?` but for `(?P<`.
[[nodiscard]] std::vector<std::size_t> find_groups(std::string_view pattern);

// Returns the pattern with `(?:` in the place of each of them.
[[nodiscard]] std::string without_groups(std::string pattern);

// Reports what a pattern probably means in another way than Distiller: choices that are not anchored, globs, dots.
void check_written(const Reading& reading, Override& each);

}  // namespace sparsecfg::dialect::distiller
