#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/span.h"

namespace sparsecfg::python {

// Why Python rejects a token.
struct TokenFault {
  std::string message;
  std::uint32_t offset;  // of a bracket that is not closed: the bracket
};

struct Token {
  enum class Kind : std::uint8_t { number, name, keyword, string, operation, newline, end, error };
  Kind kind = Kind::end;
  std::uint32_t offset = 0;  // offset in the whole text
  std::string_view text;
  // For an error, and for a number that Python's tokenizer rejects. Null for other tokens: there are very many of them.
  std::shared_ptr<const TokenFault> fault;
  std::int32_t indent = -1;  // column of the first token of a logical line, else -1

  [[nodiscard]] source::Span span() const { return {offset, offset + static_cast<std::uint32_t>(text.size())}; }
};

// The begin and end of a part of the source text.
using Range = std::pair<std::size_t, std::size_t>;

// Returns the range that remains after Python's strip().
[[nodiscard]] Range stripped(std::string_view text);

// Returns the tokens of an expression, or of statements without indentation, in a range. The last token is an
// end or an error. Line breaks in brackets and after a backslash are omitted.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text, Range range);

// Returns the tokens of a script in a range. Errors are tokens like others; the last token is always
// an end. Adds the spans of comments to `comments`.
[[nodiscard]] std::vector<Token> tokenize_script(std::string_view text, Range range,
                                                 std::vector<source::Span>& comments);

// The parts of a string literal.
struct StringLiteral {
  std::string value;          // after unescaping; of an f-string with its holes as written
  std::uint32_t content = 0;  // offset of the text between the quotes in the literal
  std::uint32_t length = 0;   // of that text
  bool raw = false;
  bool bytes = false;
  bool format = false;  // an f-string
  bool unread = false;  // true if it has an escape whose character is not known here
};

[[nodiscard]] StringLiteral take_apart(std::string_view literal);

// Returns the end of the string literal whose quotes start at `quote`, or npos if it is not closed. The holes of an
// f-string may contain strings with the same quotes.
[[nodiscard]] std::size_t end_of_literal(std::string_view text, std::size_t quote, bool format, int depth = 0);

// Returns the end of the expression of a hole: the offset of its `!`, `:` or `}`, or the end of the text.
[[nodiscard]] std::size_t end_of_hole_expression(std::string_view text, std::size_t at, int depth = 0);

// Returns the length of the escape at the begin of `text`, which starts with a backslash.
[[nodiscard]] std::size_t escape_width(std::string_view text);

// Unescapes text of a string literal. Escapes unknown to Python stay unchanged.
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace sparsecfg::python
