#include "regex/scanner.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace sparsecfg::regex {

std::string_view Scanner::peek() const {
  if (at_end()) {
    return {};
  }
  std::size_t end = at_;
  (void)base::next_code_point(pattern_, end);
  if (pattern_[at_] == '\\' && end < pattern_.size()) {
    (void)base::next_code_point(pattern_, end);
  }
  return pattern_.substr(at_, end - at_);
}

std::string_view Scanner::take() {
  const std::string_view token = peek();
  at_ += token.size();
  return token;
}

bool Scanner::take_if(std::string_view token) {
  const bool there = !at_end() && peek() == token;
  at_ += there ? token.size() : 0;
  return there;
}

static bool is_digit_of(int base, char c) {
  return base == 8    ? c >= '0' && c <= '7'
         : base == 10 ? base::is_digit(c)
                      : base::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string_view Scanner::take_digits(int base, std::size_t max) {
  const std::size_t begin = at_;
  while (!at_end() && at_ - begin < max && is_digit_of(base, pattern_[at_])) {
    ++at_;
  }
  return since(begin);
}

std::string_view Scanner::take_until(std::string_view closing, std::string_view what) {
  const std::size_t begin = at_;
  while (!at_end() && peek() != closing) {
    take();
  }
  const std::string_view matched = since(begin);
  if (matched.empty()) {
    fail(fmt::format("missing {}", what), begin);
  } else if (!take_if(closing)) {
    fail(fmt::format("missing `{}` after the {}", closing, what), begin);
  }
  return matched;
}

bool Scanner::take_blank() {
  if (take_if("#")) {
    while (!at_end() && take() != "\n") {
    }
    return true;
  }
  const bool space = std::string_view(" \t\n\r\v\f").find(peek()) != std::string_view::npos;
  return space && !take().empty();
}

void Scanner::go_back(std::size_t offset) {
  if (!error_) {
    at_ = offset;
  }
}

void Scanner::fail(std::string message, std::size_t offset, bool unsupported) {
  if (!error_) {
    error_ = SyntaxError{std::move(message), static_cast<std::uint32_t>(offset), unsupported};
  }
  at_ = pattern_.size();
}

}  // namespace sparsecfg::regex
