#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::ir {

// Whether a character is a letter of ASCII, a digit or `_`, as names of models have them between dots.
[[nodiscard]] bool is_name_letter(char c);

// A pattern of Python's `re`, matched from the start of a name, as far as it is made of words, escaped dots, digits and
// wildcards alone, as most are. What is known of such a pattern needs no comparison of automata, which takes a thousand
// times as long.
class PlainPattern {
 public:
  // `wild` stands for `.*` and `.+` in the sample, but for a last one.
  explicit PlainPattern(std::string_view pattern, std::string_view wild = "a");

  // Returns a name that the pattern matches, in which `tail` stands for a last `.*`; empty if the pattern is not plain.
  [[nodiscard]] std::string sample(std::string_view tail) const;

  [[nodiscard]] bool is_plain() const { return plain_; }

  // Returns true if the pattern is plain and asks for some character, so that it does not match every name.
  [[nodiscard]] bool asks_for_something() const { return plain_ && fixed_; }

 private:
  bool take_piece(std::string_view& rest, std::string_view wild);
  bool take_word(std::string_view& rest);

  std::string name_;  // without what stands for a last wildcard
  bool plain_ = true;
  bool fixed_ = false;
  bool open_ = false;  // ends in `.*` or `.+`
};

}  // namespace sparsecfg::ir
