#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/token.h"
#include "python/tree.h"

namespace sparsecfg::python {

// Recursive descent parser for Python, with operator precedence. Keeps the first error and moves to the last token, so
// that every loop terminates. In a script, parsing continues after the faulty statement.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, std::size_t depth = 0)
      : text_(text), tokens_(std::move(tokens)), depth_(depth) {}

  [[nodiscard]] std::variant<Node, ExpressionError> run();
  [[nodiscard]] std::variant<Node, ExpressionError> run_expression();
  [[nodiscard]] Script run_script();

 private:
  // Tracks the nesting depth of the grammar during its lifetime.
  class Level {
   public:
    explicit Level(Parser& parser);

    ~Level() { --parser_.depth_; }

    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  struct Arguments {
    std::vector<Node> positional;
    std::vector<Node> named;
    std::vector<std::string> keywords;
    std::vector<source::Span> spans;  // of the keywords
  };

  // parser.cpp: operators
  Node expression();
  Node named_expression();
  Node element(bool may_be_named);
  Node spread(bool of_expression);
  Node operation(int least_precedence);
  Node prefix(int least_precedence);
  Node power();
  Node condition();
  Node lambda();
  Node yield();
  [[nodiscard]] Node infix(const Token& token, const std::string& text, Node left, Node right);

  // primary.cpp: operands
  Node primary();
  Node atom();
  Node attribute(Node object);
  Node subscript(Node object);
  Node slice();
  Node call(Node function);
  void argument(Arguments& arguments);
  Node parenthesized();
  Node list();
  Node braces();
  std::vector<Node> elements(std::string_view closing, bool& comma);

  [[nodiscard]] bool at_comprehension() const { return sees_any({"for", "async"}); }

  Node comprehension(std::vector<Node> element);
  Node collection(Node::Kind kind, const Token& token, std::vector<Node> parts);
  bool member(std::vector<Node>& parts);

  // strings.cpp: string literals
  Node strings();
  void add_format(std::vector<Node>& parts, const Token& token);
  std::optional<Node> hole(source::Span span);

  // statement.cpp: simple statements
  Statement statement();
  Statement expression_statement();
  void assignment(Statement& out);
  Node expression_list();
  Node target_list();
  Statement keyword_statement();
  void delete_targets(Statement& out);
  void imported_modules(Statement& out);
  void imported_names(Statement& out);
  Statement::Name dotted_name();
  void names(Statement& out, bool may_be_renamed);
  Statement::Name name();
  void require_target(const Node& node, bool may_be_list);
  [[nodiscard]] bool at_statement_end() const;

  // script.cpp: statements with a body
  std::vector<Statement> block(std::int32_t indent);
  void logical_line(std::vector<Statement>& out, std::int32_t block);
  void recover(std::size_t start, Statement& partial);
  std::optional<Statement> compound_statement();
  void definition(Statement& out);
  void parameters(Statement& out, std::string_view closing);
  void loop(Statement& out);
  void with_items(Statement& out);
  void attempt(Statement& out);
  std::vector<Statement> suite();
  std::vector<Statement> alternative();
  [[nodiscard]] bool continues(std::string_view keyword);

  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }

  // Returns the next token if it is an operator or keyword, else an empty string.
  [[nodiscard]] std::string_view symbol() const;

  [[nodiscard]] bool sees(std::string_view text) const { return symbol() == text; }

  [[nodiscard]] bool sees_any(std::initializer_list<std::string_view> texts) const;
  const Token& take();
  bool take_if(std::string_view text);
  void expect(std::string_view closing);

  [[nodiscard]] std::uint32_t end_of_last() const { return at_ == 0 ? 0 : tokens_[at_ - 1].span().end; }

  [[nodiscard]] Node make(Node::Kind kind, const Token& token, std::string text, std::vector<Node> parts = {});
  void fail(ErrorKind kind, std::string message, std::uint32_t offset);
  void unexpected(std::string_view wanted);  // reports the current token as found instead of `wanted`

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::optional<ExpressionError> error_;
  std::size_t failed_at_ = 0;  // token at which the error was found
  bool is_script_ = false;
  std::int32_t indent_ = 0;  // of the current logical line
  bool skipped_ = false;     // true after a line that could not be parsed: it may begin a block
  Script script_;
};

}  // namespace sparsecfg::python
