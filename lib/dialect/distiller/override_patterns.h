#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/distiller/rules/rules.h"
#include "regex/compare.h"

namespace sparsecfg::dialect::distiller {

// One key of `overrides`, as part of the regular expression into which Distiller joins all keys.
struct Override {
  std::string pattern;
  Span key;
  std::size_t groups = 0;  // capturing groups in this pattern
  bool shifted = false;    // true if an earlier pattern contains capturing groups
  std::optional<regex::Nfa> matched;
  bool reported = false;  // true if a syntax problem was reported
};

// Returns the group that Distiller's expression uses for a pattern: `(^pattern$)`.
[[nodiscard]] std::string wrapped(std::string_view pattern);
// Returns the expression into which Distiller joins the patterns.
[[nodiscard]] std::string joined(const std::vector<std::string>& patterns);

// Returns the positions of capturing groups: unescaped `(` outside sets, not followed by `?` except in `(?P<`.
[[nodiscard]] std::vector<std::size_t> find_groups(std::string_view pattern);

// Returns the pattern with every capturing group replaced by `(?:`.
[[nodiscard]] std::string without_groups(std::string pattern);

// Reports patterns that Distiller probably does not read as intended: unanchored alternatives, globs, dots. The budget
// is that of all overrides of a quantizer.
void check_written(const Context& context, Override& each, base::Budget& budget);

}  // namespace sparsecfg::dialect::distiller
