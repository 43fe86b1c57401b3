#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "python/normalized_name.h"
#include "python/parser_parts.h"

namespace sparsecfg::python {

using Kind = Statement::Kind;

// Returns a statement as a node of an expression.
static Node as_node(Statement statement) {
  if (statement.kind == Kind::expression) {
    return std::move(statement.value);
  }
  Node node;
  node.offset = statement.offset;
  node.span = statement.span;
  node.text = fmt::format("`{}`", statement.text);
  return node;
}

std::variant<Node, ExpressionError> Parser::run() {
  std::optional<Node> first;
  while (!error_ && peek().kind != Token::Kind::end) {
    if (peek().kind == Token::Kind::newline) {
      take();
      continue;
    }
    Node node = as_node(statement());
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

Statement Parser::statement() {
  static constexpr std::array<std::string_view, 11> kSimple = {
      "assert", "break", "continue", "del", "from", "global", "import", "nonlocal", "pass", "raise", "return"};
  static constexpr std::array<std::string_view, 8> kWithBody = {"async", "class", "def",   "for",
                                                                "if",    "try",   "while", "with"};
  const Token& token = peek();
  const bool word = token.kind == Token::Kind::keyword;
  if (word && std::ranges::find(kWithBody, token.text) != kWithBody.end()) {
    fail(ErrorKind::unsupported, fmt::format("`{}`", token.text), token.offset);
  }
  Statement out =
      word && std::ranges::find(kSimple, token.text) != kSimple.end() ? keyword_statement() : expression_statement();
  out.span = {token.offset, std::max(end_of_last(), token.offset)};
  return out;
}

Statement Parser::expression_statement() {
  static constexpr std::array<std::string_view, 15> kAssignments = {
      "=", ":", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};
  Statement out;
  out.kind = Kind::expression;
  out.value = expression_list();
  if (std::ranges::find(kAssignments, symbol()) != kAssignments.end()) {
    assignment(out);
  }
  return out;
}

// Parses values separated by commas. A single value without a comma is not a tuple.
Node Parser::expression_list() {
  const Token& token = peek();
  std::vector<Node> parts;
  bool comma = false;
  bool more = false;
  do {
    parts.push_back(sees("yield") ? yield() : element(false));
    more = take_if(",");
    comma = comma || more;
  } while (more && !at_statement_end() && !sees("="));
  if (!comma) {
    return std::move(parts.front());
  }
  const bool assignable = std::ranges::all_of(parts, [](const Node& part) { return part.target != Node::Target::no; });
  Node node = make(Node::Kind::tuple, token, "", std::move(parts));
  node.target = assignable ? Node::Target::list : Node::Target::no;
  return node;
}

void Parser::require_target(const Node& node, bool may_be_list) {
  if (node.target == Node::Target::no || (node.target == Node::Target::list && !may_be_list)) {
    unexpected("an operator");
  }
}

// Parses what follows the first target, which the statement has as its value.
void Parser::assignment(Statement& out) {
  const Token& token = peek();
  require_target(out.value, sees("="));
  out.kind = Kind::assignment;
  out.text = token.text;
  out.offset = token.offset;
  out.targets.push_back(std::exchange(out.value, Node()));
  if (take_if(":")) {
    out.values.push_back(expression());
    out.kind = sees("=") ? Kind::assignment : Kind::annotation;
    if (take_if("=")) {
      out.value = expression_list();
    }
  } else if (!sees("=")) {
    out.kind = Kind::augmented;
    take();
    out.value = expression_list();
  } else {
    take();
    out.value = expression_list();
  }
  while (sees("=") && token.text == "=") {
    require_target(out.value, true);
    take();
    out.targets.push_back(std::exchange(out.value, Node()));
    out.value = expression_list();
  }
}

static Kind kind_of(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 7> kKinds = {{
      {"global", Kind::global},
      {"nonlocal", Kind::nonlocal},
      {"assert", Kind::assertion},
      {"raise", Kind::raise},
      {"return", Kind::result},
      {"break", Kind::leave},
      {"continue", Kind::leave},
  }};
  const auto* found = std::ranges::find(kKinds, word, [](const auto& known) { return known.first; });
  return found == kKinds.end() ? Kind::pass : found->second;
}

Statement Parser::keyword_statement() {
  const Token& token = take();
  const std::string_view word = token.text;
  Statement out;
  out.kind = kind_of(word);
  out.offset = token.offset;
  out.text = word;
  if (word == "import") {
    imported_modules(out);
  } else if (word == "from") {
    imported_names(out);
  } else if (word == "global" || word == "nonlocal") {
    names(out, false);
  } else if (word == "del") {
    delete_targets(out);
  } else if (word == "assert" || (word == "raise" && !at_statement_end())) {
    out.values.push_back(expression());
    if (take_if(word == "assert" ? "," : "from")) {
      out.values.push_back(expression());
    }
  } else if (word == "return") {
    out.value = at_statement_end() ? Node() : expression_list();
  }
  return out;
}

void Parser::delete_targets(Statement& out) {
  if (sees("*")) {
    return unexpected("a name");
  }
  out.kind = Kind::deletion;
  out.targets.push_back(expression_list());
  require_target(out.targets.back(), true);
}

Name Parser::name() {
  if (peek().kind != Token::Kind::name) {
    unexpected("a name");
    return {};
  }
  const Token& token = take();
  return {normalized_name(token.text), {}, token.span()};
}

void Parser::names(Statement& out, bool may_be_renamed) {
  do {
    Name found = name();
    if (may_be_renamed && take_if("as")) {
      found.alias = name().text;
    }
    out.names.push_back(std::move(found));
  } while (take_if(",") && !sees(")"));
}

Name Parser::dotted_name() {
  Name out = name();
  while (take_if(".")) {
    out.text += '.' + name().text;
    out.span.end = end_of_last();
  }
  return out;
}

void Parser::imported_modules(Statement& out) {
  out.kind = Kind::import;
  do {
    Name module = dotted_name();
    if (take_if("as")) {
      module.alias = name().text;
    }
    out.names.push_back(std::move(module));
  } while (take_if(","));
}

// The text of the statement becomes the module, except where it is read as an expression.
void Parser::imported_names(Statement& out) {
  std::string module;
  while (sees(".") || sees("...")) {
    module += take().text;
  }
  if (module.empty() || !sees("import")) {
    module += dotted_name().text;
  }
  expect("import");
  if (take_if("(")) {
    names(out, true);
    expect(")");
  } else if (sees("*")) {
    out.names.push_back({"*", {}, take().span()});
  } else {
    names(out, true);
  }
  if (is_script_) {
    out.kind = Kind::import_from;
    out.text = std::move(module);
  }
}

}  // namespace sparsecfg::python
