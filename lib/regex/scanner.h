#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "regex/pattern.h"

namespace sparsecfg::regex {

// Splits a pattern into tokens like Python's parser: one character, or a backslash with the next character. Keeps the
// first error and moves to the end, so that every loop over tokens terminates.
class Scanner {
 public:
  // `pattern` must be valid UTF-8 and outlive the scanner.
  explicit Scanner(std::string_view pattern) : pattern_(pattern) {}

  [[nodiscard]] bool at_end() const { return at_ >= pattern_.size(); }

  [[nodiscard]] std::size_t offset() const { return at_; }

  // Returns the next token; empty at the end.
  [[nodiscard]] std::string_view peek() const;
  std::string_view take();
  // Consumes the next token if it equals `token`.
  bool take_if(std::string_view token);
  // Consumes up to `max` digits in base 8, 10 or 16.
  std::string_view take_digits(int base, std::size_t max);
  // Consumes the text up to the token `closing`, and that token. Fails if the text is empty or the token is missing.
  // `what` names the expected text in the message.
  std::string_view take_until(std::string_view closing, std::string_view what);
  // Consumes white space or a comment, which the flag `x` permits between items.
  bool take_blank();

  // Returns the text consumed since `offset`.
  [[nodiscard]] std::string_view since(std::size_t offset) const { return pattern_.substr(offset, at_ - offset); }

  // Returns to an earlier offset, unless an error occurred.
  void go_back(std::size_t offset);

  void fail(std::string message, std::size_t offset, bool unsupported = false);

  [[nodiscard]] const std::optional<SyntaxError>& error() const { return error_; }

 private:
  std::string_view pattern_;
  std::size_t at_ = 0;
  std::optional<SyntaxError> error_;
};

}  // namespace sparsecfg::regex
