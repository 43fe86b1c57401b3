#include "doc/python_lexer.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "doc/characters.h"

namespace sparsecfg::doc {

using Word = PythonToken::Kind;

static bool is_word(char c) {
  return base::is_letter(c) || base::is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  Lexer(std::string_view script, std::vector<Comment>& comments) : script_(script), comments_(comments) {}

  std::vector<PythonToken> run() {
    while (at_ < script_.size()) {
      step();
    }
    add(Word::line_end, at_);
    add(Word::end, at_);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0'; }

  void add(Word kind, std::size_t begin, std::string value = {}) {
    const bool first = begin == start_ || script_[begin - 1] == '\n';
    tokens_.push_back(
        {kind, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}, first, std::move(value)});
  }

  void step() {
    const char c = peek();
    const std::size_t begin = at_;
    if (c == '\n' || c == ';') {
      ++at_;
      if (depth_ == 0) add(Word::line_end, begin);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      at_ += peek(1) == '\r' && peek(2) == '\n' ? 3 : 2;
    } else if (c == '#') {
      at_ = std::min(script_.find('\n', at_), script_.size());
      comments_.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}});
    } else if (base::is_digit(c) || (c == '.' && base::is_digit(peek(1)))) {
      read_number();
    } else if (is_word(c) || c == '"' || c == '\'') {
      read_word();
    } else {
      read_mark(c);
    }
  }

  void read_mark(char c) {
    const std::size_t begin = at_++;
    depth_ += c == '(' || c == '[' || c == '{' ? 1 : 0;
    depth_ -= (c == ')' || c == ']' || c == '}') && depth_ > 0 ? 1 : 0;
    add(Word::mark, begin);
  }

  // Reads digits, letters and points, and a sign after an exponent.
  void read_number() {
    const std::size_t begin = at_;
    const bool based = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    while (is_word(peek()) || peek() == '.' ||
           ((peek() == '+' || peek() == '-') && !based && (script_[at_ - 1] == 'e' || script_[at_ - 1] == 'E'))) {
      ++at_;
    }
    add(Word::number, begin);
  }

  // Reads a name or the prefix of a string.
  void read_word() {
    const std::size_t begin = at_;
    while (is_word(peek())) {
      ++at_;
    }
    if (peek() != '"' && peek() != '\'') {
      add(Word::name, begin);
      return;
    }
    const std::string prefix = base::to_lower(script_.substr(begin, at_ - begin));
    read_string(begin, prefix.find('r') != std::string::npos, prefix.find_first_of("bf") != std::string::npos);
  }

  void read_string(std::size_t begin, bool raw, bool other) {
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    std::string value;
    while (at_ < script_.size() && !closes(quote, triple)) {
      if (peek() == '\n' && !triple) {
        break;
      }
      if (peek() == '\\') {
        read_escape(value, raw);
      } else {
        value += script_[at_++];
      }
    }
    if (!closes(quote, triple)) {
      add(Word::broken, begin);
      return;
    }
    at_ += triple ? 3 : 1;
    add(other ? Word::other_text : Word::text, begin, std::move(value));
  }

  bool closes(char quote, bool triple) const {
    return peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote));
  }

  // Escapes unknown to Python stay unchanged.
  void read_escape(std::string& value, bool raw) {
    constexpr std::string_view kLetters = "\\'\"abfnrtv";
    constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
    const char c = peek(1);
    if (const std::size_t letter = kLetters.find(c); !raw && c != '\0' && letter != std::string_view::npos) {
      value += kMeanings[letter];
      at_ += 2;
    } else if (!raw && c == '\n') {
      at_ += 2;
    } else if (const std::size_t digits = c == 'x'   ? 2
                                          : c == 'u' ? 4
                                          : c == 'U' ? 8
                                                     : 0;
               !raw && digits > 0 && read_code(value, digits)) {
      return;
    } else {
      value += script_.substr(at_, 2);
      at_ = std::min(at_ + 2, script_.size());
    }
  }

  bool read_code(std::string& value, std::size_t digits) {
    const std::string_view text = script_.substr(std::min(at_ + 2, script_.size()), digits);
    std::uint32_t code = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), code, 16);
    if (text.size() != digits || read.ptr != text.data() + text.size() || code > 0x10FFFF) {
      return false;
    }
    // A lone surrogate is not a character and can't be part of a model's name.
    const bool lone = code >= 0xD800 && code <= 0xDFFF;
    base::append_utf8(value, lone ? char32_t{0xFFFD} : static_cast<char32_t>(code));
    at_ += 2 + digits;
    return true;
  }

  std::string_view script_;
  std::vector<Comment>& comments_;
  std::vector<PythonToken> tokens_;
  std::size_t start_ = script_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::size_t at_ = start_;
  int depth_ = 0;
};

std::vector<PythonToken> read_tokens(std::string_view script, std::vector<Comment>& comments) {
  return Lexer(script, comments).run();
}

}  // namespace sparsecfg::doc
