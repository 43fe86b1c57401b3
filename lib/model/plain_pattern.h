#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::model {

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
