#pragma once

#include <string>
#include <string_view>
#include <vector>

// The text of patterns, without a parse of their syntax.
namespace sparsecfg::model {

// Splits a pattern into its smallest units, in order: an escaped character (`\.`), a set (`[0-9]`) or one character.
// The result refers to `pattern`.
[[nodiscard]] std::vector<std::string_view> pattern_units(std::string_view pattern);

// Returns the top-level alternatives separated by `|`; the whole pattern if there is only one.
[[nodiscard]] std::vector<std::string> choices_of(const std::vector<std::string_view>& units);

// Returns one pattern for all names that one of two patterns matches: `mlp\.(up|down)_proj` for `mlp\.up_proj` and
// `mlp\.down_proj`.
[[nodiscard]] std::string joined_patterns(std::string_view one, std::string_view other);

// A Python `re` pattern, matched from the start of a name, that consists only of words, escaped dots, digits and
// wildcards. Most patterns do. Facts about such patterns don't require a comparison of automata, which is a thousand
// times slower.
class PlainPattern {
 public:
  // `wild` replaces `.*` and `.+` in the sample, except a trailing one.
  explicit PlainPattern(std::string_view pattern, std::string_view wild = "a");

  // Returns a name that the pattern matches, with `tail` for a trailing `.*`. Empty if the pattern is not plain.
  [[nodiscard]] std::string sample(std::string_view tail) const;

  [[nodiscard]] bool is_plain() const { return plain_; }

  // Returns true if the pattern is plain and requires some character, so that it does not match every name.
  [[nodiscard]] bool asks_for_something() const { return plain_ && fixed_; }

 private:
  bool take_piece(std::string_view& rest, std::string_view wild);
  bool take_word(std::string_view& rest);

  std::string name_;  // without the text of a trailing wildcard
  bool plain_ = true;
  bool fixed_ = false;
  bool open_ = false;  // ends in `.*` or `.+`
};

}  // namespace sparsecfg::model
