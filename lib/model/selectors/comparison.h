#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "regex/pattern.h"

namespace sparsecfg::selectors {

// How a system compares the text of an entry with a name. A part is the text between two dots.
enum class How : std::uint8_t {
  exact,
  prefix,
  prefix_of_parts,  // the name starts with whole parts
  suffix,
  suffix_of_parts,
  substring,
  part,               // one part of the name equals the text
  parts,              // consecutive whole parts of the name equal the text
  match,              // Python's re.match
  search,             // re.search
  fullmatch,          // re.fullmatch
  glob,               // fnmatch.fnmatchcase
  name_inside_entry,  // reversed: the name is a substring of the text
  always,
};

// Returns true if the text of the entry is a regular expression.
[[nodiscard]] constexpr bool is_regex(How how) {
  return how == How::match || how == How::search || how == How::fullmatch;
}

// Returns true if a match requires that the name contains the text of the entry.
[[nodiscard]] constexpr bool is_literal(How how) { return how <= How::parts; }

// Returns true if a text that occurs in a name from `begin` on matches the name. `how` must be literal.
[[nodiscard]] bool matches_at(How how, std::string_view text, std::string_view name, std::size_t begin);

// A regular expression and how it is anchored. A pattern that is searched also matches the text before it.
struct AnchoredPattern {
  std::string pattern;
  regex::Anchoring anchoring = regex::Anchoring::both;
};

// Returns a pattern that matches from the start of a name if `pattern` matches anywhere, as re.search does. `before` is
// the pattern of the text before it. `pattern` must be valid.
[[nodiscard]] std::string searched(std::string_view pattern, std::string_view before = "(?s:.*?)");

// Returns the pattern that matches the same names as the comparison. Not for name_inside_entry.
[[nodiscard]] AnchoredPattern pattern_of(How how, std::string_view text);

// Returns the regular expression with the meaning of a glob for Python's fnmatch: the whole name must match.
[[nodiscard]] std::string pattern_of_glob(std::string_view glob);

// Returns true if std::regex (ECMAScript) rejects a pattern that Python accepts: inline flags, look-behind, `\A`, `\Z`
// and possessive repeats.
[[nodiscard]] bool is_rejected_by_ecmascript(std::string_view pattern);

}  // namespace sparsecfg::selectors
