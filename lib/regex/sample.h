#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparsecfg::regex {

// A string that a pattern matches, found without a search.
struct Sample {
  std::string text;
  bool open = true;  // any text may follow: the pattern is anchored only at the start
};

// Returns a string that a Python `re` pattern matches from its start. `wild` replaces a possibly empty repeat of any
// character. Nullopt proves nothing: it is returned for look-around, positions between characters, sets without a
// letter, digit, `_` or `.`, and long strings.
[[nodiscard]] std::optional<Sample> sample_of(std::string_view python_pattern, std::string_view wild);

}  // namespace sparsecfg::regex
