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

// Returns the nodes as a list, without copying them.
template <class... Nodes>
[[nodiscard]] std::vector<Node> nodes(Nodes&&... all) {
  std::vector<Node> out;
  out.reserve(sizeof...(all));
  (out.push_back(std::forward<Nodes>(all)), ...);
  return out;
}

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
    bool has_mapping = false;         // true after `**mapping`
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
  Node awaited();
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
  Node generator(Node comprehension);
  Node collection(Node::Kind kind, const Token& token, std::vector<Node> parts);
  bool member(std::vector<Node>& parts);

  // strings.cpp: string literals
  Node strings();
  void add_format(std::vector<Node>& parts, const Token& token);
  Node hole(source::Span span);

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
  Name dotted_name();
  void names(Statement& out, bool may_be_renamed);
  Name name();
  void require_target(const Node& node, bool may_be_list);
  [[nodiscard]] bool at_statement_end() const;

  // script.cpp: statements with a body
  std::vector<Statement> block(std::int32_t indent);
  void logical_line(std::vector<Statement>& out, std::int32_t block);
  void note_fault(ExpressionError error);
  void recover(std::size_t start, Statement& partial);
  void skipped_body(Statement& out, std::int32_t indent);
  void skip_lines(std::int32_t indent);
  std::optional<Statement> compound_statement();
  void definition(Statement& out);
  void class_arguments(Statement& out);
  void type_parameters();
  void parameters(Statement& out, std::string_view closing);
  void parameter(Statement& out, std::string_view closing, Parameter::Form& form);
  void loop(Statement& out);
  void with_items(Statement& out, bool in_parentheses);
  void attempt(Statement& out);
  Statement handler();
  std::vector<Statement> suite();
  std::vector<Statement> alternative();

  // pattern.cpp: `match`, `type`
  std::optional<Statement> match();
  std::optional<Statement> type_alias();
  void cases(Statement& out);
  Statement match_case();
  Node patterns();
  Node pattern();
  Node alternatives();
  Node closed_pattern();
  Node literal_pattern();
  Node group_pattern();
  Node mapping_pattern();
  Node class_pattern(Node type);
  std::vector<Node> pattern_list(std::string_view closing, bool& comma);

  [[nodiscard]] bool sees_word(std::string_view word) const {
    return peek().kind == Token::Kind::name && peek().text == word;
  }

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

  // The state to return to if a construct turns out to be another one.
  struct Mark {
    std::size_t at;
    std::int32_t indent;
    source::Span too_deep;
  };

  [[nodiscard]] Mark mark() const { return {at_, indent_, script_.too_deep}; }

  void reset(const Mark& mark);

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
  bool yields_ = false;      // true if the current function has a `yield`
  Script script_;
};

}  // namespace sparsecfg::python
