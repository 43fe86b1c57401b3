#include "python/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "python/numbers.h"

namespace sparsecfg::python {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

// Longer operators precede their prefixes.
constexpr std::array<std::string_view, 47> kOperations = {
    "**=", "//=", ">>=", "<<=", "...", "!=", "<=", ">=", "==", "->", ":=", "+=", "-=", "*=", "/=", "%=",
    "@=",  "&=",  "|=",  "^=",  "**",  "//", "<<", ">>", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "=",
};

static bool is_python_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Returns the begin and end of the text after Python's strip().
static std::pair<std::size_t, std::size_t> stripped(std::string_view text) {
  std::size_t begin = text.size();
  std::size_t end = text.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (!is_python_space(base::next_code_point(text, at))) {
      begin = std::min(begin, start);
      end = at;
    }
  }
  return {begin, end};
}

// All non-ASCII characters count as letters. No name known to SparseML contains one.
static bool starts_name(char c) { return base::is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

static bool continues_name(char c) { return starts_name(c) || base::is_digit(c); }

static bool ends_line(char c) { return c == '\n' || c == '\r'; }

class Lexer {
 public:
  Lexer(std::string_view text, std::pair<std::size_t, std::size_t> range)
      : text_(text.substr(0, range.second)), at_(range.first) {}

  std::vector<Token> run();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  [[nodiscard]] bool may_go_on() const { return tokens_.empty() || tokens_.back().kind != Token::Kind::error; }

  void add(Token::Kind kind, std::size_t length);
  void fail(std::string message, std::size_t offset);
  bool skip_blanks();
  void skip_line_end();
  void line_end();
  void next();
  void number();
  void word();
  void string(std::size_t prefix);
  void operation();
  void bracket(char c);

  std::string_view text_;
  std::size_t at_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> open_;  // offsets of open brackets
};

void Lexer::add(Token::Kind kind, std::size_t length) {
  tokens_.push_back({kind, text_.substr(at_, length), static_cast<std::uint32_t>(at_), {}});
  at_ += length;
}

void Lexer::fail(std::string message, std::size_t offset) {
  tokens_.push_back({Token::Kind::error, {}, static_cast<std::uint32_t>(offset), std::move(message)});
}

// Skips white space, a comment or a line continuation. Returns false at any other text.
bool Lexer::skip_blanks() {
  const std::size_t begin = at_;
  while (peek() == ' ' || peek() == '\t' || peek() == '\f') {
    ++at_;
  }
  if (peek() == '#') {
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
  } else if (peek() == '\\' && ends_line(peek(1))) {
    ++at_;
    skip_line_end();
  }
  return at_ > begin;
}

void Lexer::skip_line_end() { at_ += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }

// A line break ends a statement unless the line is empty or a bracket is open.
void Lexer::line_end() {
  const std::size_t begin = at_;
  skip_line_end();
  if (!open_.empty()) {
    return;
  }
  if (!tokens_.empty() && tokens_.back().kind != Token::Kind::newline) {
    tokens_.push_back({Token::Kind::newline, {}, static_cast<std::uint32_t>(begin), {}});
  }
  const std::size_t line = at_;
  at_ = std::min(text_.find_first_not_of(" \t\f", at_), text_.size());
  const bool empty = at_end() || ends_line(peek()) || peek() == '#';
  if (at_ > line && !empty) {
    fail("unexpected indentation", at_);
  }
}

void Lexer::number() {
  const NumberText number = scan_number(text_.substr(at_));
  if (!number.fault.empty()) {
    return fail(std::string(number.fault), at_);
  }
  add(Token::Kind::number, number.length);
}

void Lexer::word() {
  static constexpr std::array<std::string_view, 8> kPrefixes = {"r", "b", "u", "f", "br", "rb", "fr", "rf"};
  std::size_t length = 0;
  while (at_ + length < text_.size() && continues_name(text_[at_ + length])) {
    ++length;
  }
  const std::string_view word = text_.substr(at_, length);
  const bool quoted = peek(length) == '\'' || peek(length) == '"';
  if (quoted && std::ranges::find(kPrefixes, base::to_lower(word)) != kPrefixes.end()) {
    return string(length);
  }
  const bool keyword = std::ranges::find(kKeywords, word) != kKeywords.end();
  add(keyword ? Token::Kind::keyword : Token::Kind::name, length);
}

void Lexer::string(std::size_t prefix) {
  const char quote = peek(prefix);
  const bool triple = peek(prefix + 1) == quote && peek(prefix + 2) == quote;
  const std::string closing(triple ? 3 : 1, quote);
  std::size_t length = prefix + closing.size();
  while (at_ + length < text_.size() && !text_.substr(at_ + length).starts_with(closing)) {
    if (!triple && ends_line(peek(length))) {
      return fail("unterminated string", at_);
    }
    length += peek(length) == '\\' ? 2 : 1;
  }
  if (at_ + length >= text_.size()) {
    return fail("unterminated string", at_);
  }
  add(Token::Kind::string, length + closing.size());
}

void Lexer::bracket(char c) {
  constexpr std::string_view kPairs = "()[]{}";
  const std::size_t place = kPairs.find(c);
  if (place == std::string_view::npos) {
    return;
  }
  if (place % 2 == 0) {
    open_.push_back(at_);
  } else if (open_.empty() || text_[open_.back()] != kPairs[place - 1]) {
    fail(fmt::format("unmatched `{}`", c), at_);
  } else {
    open_.pop_back();
  }
}

void Lexer::operation() {
  const auto begins = [&](std::string_view known) { return text_.substr(at_).starts_with(known); };
  const auto* found = std::ranges::find_if(kOperations, begins);
  if (found == kOperations.end()) {
    return fail(fmt::format("unexpected character `{}`", peek()), at_);
  }
  bracket(found->front());
  if (may_go_on()) {
    add(Token::Kind::operation, found->size());
  }
}

void Lexer::next() {
  const char c = peek();
  if (ends_line(c)) {
    line_end();
  } else if (base::is_digit(c) || (c == '.' && base::is_digit(peek(1)))) {
    number();
  } else if (starts_name(c)) {
    word();
  } else if (c == '\'' || c == '"') {
    string(0);
  } else {
    operation();
  }
}

std::vector<Token> Lexer::run() {
  while (!at_end() && may_go_on()) {
    if (!skip_blanks()) {
      next();
    }
  }
  if (may_go_on() && !open_.empty()) {
    fail(fmt::format("unclosed `{}`", text_[open_.back()]), open_.back());
  }
  if (may_go_on()) {
    add(Token::Kind::end, 0);
  }
  return std::move(tokens_);
}

std::vector<Token> tokenize(std::string_view text) { return Lexer(text, stripped(text)).run(); }

}  // namespace sparsecfg::python
