#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "python/numbers.h"
#include "python/token.h"

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

Range stripped(std::string_view text) {
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

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Splits source text into tokens. In a script, continues after an error, and lines may be indented.
class Lexer {
 public:
  // `comments` is null except for a script.
  Lexer(std::string_view text, Range range, std::vector<source::Span>* comments)
      : text_(text.substr(0, range.second)), at_(range.first), comments_(comments) {}

  std::vector<Token> run();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  [[nodiscard]] bool is_script() const { return comments_ != nullptr; }

  [[nodiscard]] TokenFault unclosed() const {
    return {fmt::format("unclosed `{}`", text_[open_.back()]), static_cast<std::uint32_t>(open_.back())};
  }

  [[nodiscard]] bool may_go_on() const {
    return is_script() || tokens_.empty() || tokens_.back().kind != Token::Kind::error;
  }

  void add(Token::Kind kind, std::size_t length);
  void fail(std::string message, std::size_t offset, std::size_t length = 1);
  void fail(TokenFault fault, std::size_t offset, std::size_t length);
  void comment();
  void begin_line();
  bool skip_blanks();
  void skip_line_end();
  void line_end();
  void next();
  void number();
  void word();
  void string(std::size_t prefix);
  void operation();
  bool bracket(char c);

  std::string_view text_;
  std::size_t at_;
  std::vector<source::Span>* comments_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> open_;  // offsets of open brackets
  std::int32_t indent_ = -1;       // column of the next token if it begins a logical line
};

void Lexer::add(Token::Kind kind, std::size_t length) {
  tokens_.push_back({kind, static_cast<std::uint32_t>(at_), text_.substr(at_, length), {}, std::exchange(indent_, -1)});
  at_ += length;
}

void Lexer::fail(std::string message, std::size_t offset, std::size_t length) {
  fail(TokenFault{std::move(message), static_cast<std::uint32_t>(offset)}, offset, length);
}

// In a script, moves past the faulty text.
void Lexer::fail(TokenFault fault, std::size_t offset, std::size_t length) {
  const std::string_view text = is_script() ? text_.substr(offset, length) : std::string_view();
  tokens_.push_back({Token::Kind::error, static_cast<std::uint32_t>(offset), text,
                     std::make_shared<const TokenFault>(std::move(fault)), std::exchange(indent_, -1)});
  at_ = is_script() ? std::min(offset + length, text_.size()) : at_;
}

void Lexer::comment() {
  const std::size_t begin = at_;
  at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
  if (is_script()) {
    comments_->push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }
}

// Skips white space, a comment or a line continuation. Returns false at any other text.
bool Lexer::skip_blanks() {
  const std::size_t begin = at_;
  while (peek() == ' ' || peek() == '\t' || peek() == '\f') {
    ++at_;
  }
  if (peek() == '#') {
    comment();
  } else if (peek() == '\\' && ends_line(peek(1))) {
    ++at_;
    skip_line_end();
  }
  return at_ > begin;
}

void Lexer::skip_line_end() { at_ += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }

// Skips the indentation of a line. A script that forgot to close a bracket continues at a line that can only begin a
// statement.
void Lexer::begin_line() {
  static constexpr std::array<std::string_view, 4> kStatements = {"def ", "class ", "import ", "@"};
  const std::size_t line = at_;
  at_ = std::min(text_.find_first_not_of(" \t\f", at_), text_.size());
  const bool empty = at_end() || ends_line(peek()) || peek() == '#';
  const std::string_view rest = text_.substr(at_);
  if (!open_.empty() && at_ == line && is_script() &&
      std::ranges::any_of(kStatements, [&](std::string_view word) { return rest.starts_with(word); })) {
    fail(unclosed(), line, 0);
    open_.clear();
    tokens_.push_back({Token::Kind::newline, static_cast<std::uint32_t>(line), {}, {}});
  }
  if (empty || !open_.empty()) {
    return;
  }
  if (at_ > line && !is_script()) {
    fail("unexpected indentation", at_);
  }
  indent_ = static_cast<std::int32_t>(at_ - line);
}

// A line break ends a statement unless the line is empty or a bracket is open.
void Lexer::line_end() {
  const std::size_t begin = at_;
  skip_line_end();
  const bool ends = open_.empty() && !tokens_.empty() && tokens_.back().kind != Token::Kind::newline;
  if (ends) {
    tokens_.push_back({Token::Kind::newline, static_cast<std::uint32_t>(begin), {}, {}});
  }
  if (open_.empty() || is_script()) {
    begin_line();
  }
}

void Lexer::number() {
  const NumberText number = scan_number(text_.substr(at_));
  if (!number.fault.empty() && !is_script()) {
    return fail(std::string(number.fault), at_);
  }
  const std::size_t rest = number.fault.empty() ? at_ + number.length : text_.find_first_of(" \t\r\n,;:)]}", at_);
  add(Token::Kind::number, std::min(rest, text_.size()) - at_);
  if (!number.fault.empty()) {
    tokens_.back().fault =
        std::make_shared<const TokenFault>(std::string(number.fault), static_cast<std::uint32_t>(at_));
  }
}

void Lexer::word() {
  static constexpr std::array<std::string_view, 11> kPrefixes = {"r",  "b",  "u",  "f",  "t", "br",
                                                                 "rb", "fr", "rf", "tr", "rt"};
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
  const std::string_view letters = text_.substr(at_, prefix);
  const bool format = letters.find_first_of("fFtT") != std::string_view::npos;
  std::size_t end = end_of_literal(text_, at_ + prefix, format);
  end = end == std::string_view::npos && format ? end_of_literal(text_, at_ + prefix, false) : end;
  if (end == std::string_view::npos) {
    const bool triple = peek(prefix + 1) == peek(prefix) && peek(prefix + 2) == peek(prefix);
    const std::size_t line = std::min(text_.find_first_of("\r\n", at_), text_.size());
    return fail("unterminated string", at_, (triple ? text_.size() : line) - at_);
  }
  add(Token::Kind::string, end - at_);
}

// Returns false after reporting a bracket that closes nothing.
bool Lexer::bracket(char c) {
  constexpr std::string_view kPairs = "()[]{}";
  const std::size_t place = kPairs.find(c);
  if (place == std::string_view::npos) {
    return true;
  }
  if (place % 2 == 0) {
    open_.push_back(at_);
  } else if (open_.empty() || text_[open_.back()] != kPairs[place - 1]) {
    fail(fmt::format("unmatched `{}`", c), at_);
    return false;
  } else {
    open_.pop_back();
  }
  return true;
}

void Lexer::operation() {
  const auto begins = [&](std::string_view known) { return text_.substr(at_).starts_with(known); };
  const auto* found = std::ranges::find_if(kOperations, begins);
  if (found == kOperations.end()) {
    return fail(fmt::format("unexpected character `{}`", peek()), at_);
  }
  if (bracket(found->front())) {
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
  if (is_script()) {
    begin_line();
  }
  while (!at_end() && may_go_on()) {
    if (!skip_blanks()) {
      next();
    }
  }
  if (may_go_on() && !open_.empty()) {
    fail(unclosed(), is_script() ? text_.size() : open_.back(), 0);
  }
  if (may_go_on()) {
    add(Token::Kind::end, 0);
  }
  return std::move(tokens_);
}

std::vector<Token> tokenize(std::string_view text, Range range) { return Lexer(text, range, nullptr).run(); }

std::vector<Token> tokenize_script(std::string_view text, Range range, std::vector<source::Span>& comments) {
  const bool marked = range.first == 0 && text.starts_with(kByteOrderMark);
  return Lexer(text, {marked ? kByteOrderMark.size() : range.first, range.second}, &comments).run();
}

}  // namespace sparsecfg::python
