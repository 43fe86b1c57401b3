#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "python/parser.h"

namespace sparsecfg::python {

std::variant<Node, ExpressionError> Parser::run() {
  std::optional<Node> first;
  while (!error_ && peek().kind != Token::Kind::end) {
    if (peek().kind == Token::Kind::newline) {
      take();
      continue;
    }
    Node node = statement();
    if (!first) {
      first = std::move(node);
    }
    if (!take_if(";") && !at_statement_end()) {
      unexpected("an operator");
    }
  }
  if (!error_ && !first) {
    fail(ErrorKind::syntax, "the expression is empty", 0);
  }
  if (error_) {
    return *error_;
  }
  return *std::move(first);
}

std::variant<Node, ExpressionError> Parser::run_expression() {
  Node node = expression_list();
  while (!error_ && peek().kind == Token::Kind::newline) {
    take();
  }
  if (!error_ && peek().kind != Token::Kind::end) {
    unexpected("an operator");
  }
  if (error_) {
    return *error_;
  }
  return node;
}

bool Parser::at_statement_end() const {
  return sees(";") || peek().kind == Token::Kind::newline || peek().kind == Token::Kind::end;
}

Node Parser::statement() {
  static constexpr std::array<std::string_view, 11> kSimple = {
      "assert", "break", "continue", "del", "from", "global", "import", "nonlocal", "pass", "raise", "return"};
  static constexpr std::array<std::string_view, 8> kWithBody = {"async", "class", "def",   "for",
                                                                "if",    "try",   "while", "with"};
  const Token& token = peek();
  if (token.kind == Token::Kind::keyword && std::ranges::find(kWithBody, token.text) != kWithBody.end()) {
    reject(token);
  }
  const bool simple = token.kind == Token::Kind::keyword && std::ranges::find(kSimple, token.text) != kSimple.end();
  return simple ? keyword_statement() : expression_statement();
}

Node Parser::expression_statement() {
  static constexpr std::array<std::string_view, 15> kAssignments = {
      "=", ":", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};
  Node node = expression_list();
  const bool assigns = std::ranges::find(kAssignments, symbol()) != kAssignments.end();
  return assigns ? assignment(std::move(node)) : node;
}

// Parses values separated by commas. A single value without a comma is not a tuple.
Node Parser::expression_list() {
  const Token& token = peek();
  std::vector<Node> parts;
  bool comma = false;
  bool more = false;
  do {
    parts.push_back(element(false));
    more = take_if(",");
    comma = comma || more;
  } while (more && !at_statement_end() && !sees("="));
  if (!comma) {
    return std::move(parts.front());
  }
  const bool assignable = std::ranges::all_of(parts, [](const Node& part) { return part.target != Node::Target::no; });
  Node node = unsupported(token, "a tuple", std::move(parts));
  node.target = assignable ? Node::Target::list : Node::Target::no;
  return node;
}

void Parser::require_target(const Node& node, bool may_be_list) {
  if (node.target == Node::Target::no || (node.target == Node::Target::list && !may_be_list)) {
    unexpected("an operator");
  }
}

Node Parser::assignment(Node target) {
  const Token& token = peek();
  require_target(target, sees("="));
  if (take_if(":")) {
    expression();
    if (take_if("=")) {
      expression_list();
    }
  } else if (!sees("=")) {
    take();
    expression_list();
  }
  while (sees("=") && token.text == "=") {
    require_target(target, true);
    take();
    target = expression_list();
  }
  return unsupported(token, fmt::format("`{}`", token.text), {});
}

Node Parser::keyword_statement() {
  const Token& token = take();
  const std::string_view word = token.text;
  if (word == "import") {
    imported_modules();
  } else if (word == "from") {
    imported_names();
  } else if (word == "global" || word == "nonlocal") {
    names(false);
  } else if (word == "del") {
    delete_targets();
  } else if (word == "assert") {
    expression();
    if (take_if(",")) {
      expression();
    }
  } else if (word == "raise" && !at_statement_end()) {
    expression();
    if (take_if("from")) {
      expression();
    }
  } else if (word == "return" && !at_statement_end()) {
    expression_list();
  }
  return unsupported(token, fmt::format("`{}`", word));
}

void Parser::delete_targets() {
  if (sees("*")) {
    return unexpected("a name");
  }
  const Node targets = expression_list();
  require_target(targets, true);
}

void Parser::name() {
  if (peek().kind != Token::Kind::name) {
    return unexpected("a name");
  }
  take();
}

void Parser::names(bool may_be_renamed) {
  do {
    name();
    if (may_be_renamed && take_if("as")) {
      name();
    }
  } while (take_if(",") && !sees(")"));
}

void Parser::dotted_name() {
  do {
    name();
  } while (take_if("."));
}

void Parser::imported_modules() {
  do {
    dotted_name();
    if (take_if("as")) {
      name();
    }
  } while (take_if(","));
}

void Parser::imported_names() {
  bool relative = false;
  while (take_if(".") || take_if("...")) {
    relative = true;
  }
  if (!relative || !sees("import")) {
    dotted_name();
  }
  expect("import");
  if (take_if("(")) {
    names(true);
    expect(")");
  } else if (!take_if("*")) {
    names(true);
  }
}

}  // namespace sparsecfg::python
