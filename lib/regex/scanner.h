#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "regex/pattern.h"

namespace sparsecfg::regex {

// Walks a pattern as Python's parser does: by tokens, each one character or a backslash together
// with the character behind it. The first failure is kept and moves the scanner to the end, so
// that every loop over tokens stops by itself.
class Scanner {
 public:
  // `pattern` is UTF-8 and must outlive the scanner.
  explicit Scanner(std::string_view pattern) : pattern_(pattern) {}

  [[nodiscard]] bool at_end() const { return at_ >= pattern_.size(); }

  [[nodiscard]] std::size_t offset() const { return at_; }

  // The next token, empty at the end.
  [[nodiscard]] std::string_view peek() const;
  std::string_view take();
  // Takes the next token if it is this one.
  bool take_if(std::string_view token);
  // Takes up to `most` characters that are digits in the base 8, 10 or 16.
  std::string_view take_digits(int base, std::size_t max);
  // Takes what stands before the token `closing`, and that token; fails where there is nothing
  // to take or no such token. `what` names in the message what was looked for.
  std::string_view take_until(std::string_view closing, std::string_view what);
  // Takes white space or a comment, which the flag `x` lets stand between items.
  bool take_blank();

  // What was taken from `offset` on.
  [[nodiscard]] std::string_view since(std::size_t offset) const { return pattern_.substr(offset, at_ - offset); }

  // Goes back to an offset seen before, unless something failed.
  void go_back(std::size_t offset);

  void fail(std::string message, std::size_t offset, bool unsupported = false);

  [[nodiscard]] const std::optional<SyntaxError>& error() const { return error_; }

 private:
  std::string_view pattern_;
  std::size_t at_ = 0;
  std::optional<SyntaxError> error_;
};

}  // namespace sparsecfg::regex
