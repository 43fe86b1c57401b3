#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/expression.h"
#include "python/tree.h"

namespace sparsecfg::python {

struct Token {
  enum class Kind : std::uint8_t { number, name, keyword, string, operation, newline, end, error };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t offset = 0;  // offset in the text before Python's strip()
  std::string message;       // for an error
};

// Returns the tokens of a Python text after strip(). The last one is an end or an error. Line breaks in brackets and
// after a backslash are omitted.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

// Parses a Python text and returns its first statement; the others must be valid. Rejects `lambda`, `await`, `yield`,
// comprehensions and compound statements as unsupported where they begin.
[[nodiscard]] std::variant<Node, ExpressionError> parse(std::string_view text);

// Parses text that must be one expression, as Python's eval() requires.
[[nodiscard]] std::variant<Node, ExpressionError> parse_expression(std::string_view text);

// Recursive descent parser for Python, with operator precedence. Keeps the first error and moves to the last token, so
// that every loop terminates.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) {}

  [[nodiscard]] std::variant<Node, ExpressionError> run();
  [[nodiscard]] std::variant<Node, ExpressionError> run_expression();

 private:
  // Tracks the nesting depth of the grammar during its lifetime.
  class Level;

  struct Arguments {
    std::vector<Node> positional;
    std::vector<Node> named;
    std::vector<std::string> keywords;
  };

  // parser.cpp: operators
  Node expression();
  Node named_expression();
  Node element(bool may_be_named);
  Node spread(bool of_expression);
  Node operation(int least_precedence);
  Node prefix(int least_precedence);
  Node power();
  [[nodiscard]] Node infix(const Token& token, const std::string& text, Node left, Node right);

  // primary.cpp: operands
  Node primary();
  Node atom();
  Node attribute(Node object);
  Node subscript(Node object);
  Node slice();
  Node call(const Node& function);
  void argument(Arguments& arguments);
  Node parenthesized();
  Node list();
  Node braces();
  Node strings();
  std::vector<Node> elements(std::string_view closing, bool& comma);
  void refuse_comprehension();

  // statement.cpp: statements
  Node statement();
  Node expression_statement();
  Node assignment(Node target);
  Node expression_list();
  Node keyword_statement();
  void delete_targets();
  void imported_modules();
  void imported_names();
  void dotted_name();
  void names(bool may_be_renamed);
  void name();
  void require_target(const Node& node, bool may_be_list);
  [[nodiscard]] bool at_statement_end() const;

  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }

  // Returns the next token if it is an operator or keyword, else an empty string.
  [[nodiscard]] std::string_view symbol() const;

  [[nodiscard]] bool sees(std::string_view text) const { return symbol() == text; }

  [[nodiscard]] bool sees_any(std::initializer_list<std::string_view> texts) const;
  const Token& take();
  bool take_if(std::string_view text);
  void expect(std::string_view closing);
  [[nodiscard]] Node make(Node::Kind kind, const Token& token, std::string text, std::vector<Node> parts = {});
  [[nodiscard]] Node unsupported(const Token& token, std::string what, std::vector<Node> parts = {});
  void fail(ExpressionError::Kind kind, std::string message, std::uint32_t offset);
  void unexpected(std::string_view wanted);  // reports the current token as found instead of `wanted`
  void reject(const Token& token);           // rejects valid Python that is not parsed

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::optional<ExpressionError> error_;
};

}  // namespace sparsecfg::python
