#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparsecfg::regex {

// A text that a pattern matches, found without a search.
struct Sample {
  std::string text;
  bool open = true;  // anything may follow: the pattern was matched from the start only and does not ask for the end
};

// Returns a text that a pattern of Python's `re` matches from its start, in which `wild` stands for a repeat of any
// character that may be empty. Nullopt says nothing: the pattern has look-around, positions between characters, sets
// without a letter, digit, `_` or `.`, or it would be a long text.
[[nodiscard]] std::optional<Sample> sample_of(std::string_view python_pattern, std::string_view wild);

}  // namespace sparsecfg::regex
