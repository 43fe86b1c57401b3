#include <fmt/format.h>

#include <utility>

#include "python/parser_parts.h"

// `match` and `type`, whose keywords may also be names. A pattern is a node: a literal, an attribute, a name that is
// bound, `_`, a `logical` node of alternatives, a `named` node for `as`, or a node of kind `other` with nested
// patterns.
namespace sparsecfg::python {

using Kind = Statement::Kind;

std::optional<Statement> Parser::match() {
  const Mark start = mark();
  if (!sees_word("match")) {
    return std::nullopt;
  }
  const Level level(*this);
  Statement out;
  out.kind = Kind::match;
  out.offset = take().offset;
  out.value = expression_list();
  const bool header = !error_ && take_if(":") && peek().kind == Token::Kind::newline;
  while (header && peek().kind == Token::Kind::newline) {
    take();
  }
  if (!header || peek().indent <= indent_ || !sees_word("case")) {
    reset(start);
    return std::nullopt;
  }
  cases(out);
  indent_ = start.indent;
  return out;
}

void Parser::cases(Statement& out) {
  const std::int32_t indent = peek().indent;
  while (!error_ && peek().indent == indent && sees_word("case")) {
    indent_ = indent;
    out.clauses.push_back(match_case());
    while (peek().kind == Token::Kind::newline) {
      take();
    }
  }
}

Statement Parser::match_case() {
  Statement out;
  out.kind = Kind::match_case;
  out.span = take().span();
  out.targets.push_back(patterns());
  if (take_if("if")) {
    out.value = named_expression();
  }
  out.body = suite();
  return out;
}

std::optional<Statement> Parser::type_alias() {
  const Mark start = mark();
  if (!sees_word("type")) {
    return std::nullopt;
  }
  Statement out;
  out.kind = Kind::alias;
  out.offset = take().offset;
  out.text = peek().text;
  const bool named = peek().kind == Token::Kind::name;
  take();
  type_parameters();
  if (!named || !take_if("=")) {
    reset(start);
    return std::nullopt;
  }
  expression();
  return out;
}

// Parses one pattern, or a sequence without brackets.
Node Parser::patterns() {
  const Token& token = peek();
  std::vector<Node> parts;
  bool comma = false;
  do {
    parts.push_back(pattern());
    comma = comma || sees(",");
  } while (take_if(",") && !sees_any({":", "if"}));
  return comma ? make(Node::Kind::tuple, token, "a sequence", std::move(parts)) : std::move(parts.front());
}

Node Parser::pattern() {
  const Level level(*this);
  Node found = alternatives();
  if (!sees("as")) {
    return found;
  }
  const Token& token = take();
  Node target = atom();
  return make(Node::Kind::named, token, "`as`", nodes(std::move(target), std::move(found)));
}

Node Parser::alternatives() {
  const Token& token = peek();
  std::vector<Node> parts;
  do {
    parts.push_back(closed_pattern());
  } while (take_if("|"));
  return parts.size() == 1 ? std::move(parts.front()) : make(Node::Kind::logical, token, "|", std::move(parts));
}

Node Parser::closed_pattern() {
  if (sees("*")) {
    const Token& token = take();
    return make(Node::Kind::spread, token, "a sequence", nodes(atom()));
  }
  if (sees_any({"(", "["})) {
    return group_pattern();
  }
  if (sees("{")) {
    return mapping_pattern();
  }
  if (peek().kind != Token::Kind::name) {
    return literal_pattern();
  }
  Node found = atom();
  while (sees(".")) {
    found = attribute(std::move(found));
  }
  return sees("(") ? class_pattern(std::move(found)) : found;
}

// Parses a number with a sign, a sum of a real and an imaginary number, a string or a constant.
Node Parser::literal_pattern() {
  const Token& token = peek();
  const bool negative = take_if("-");
  Node found = atom();
  if (negative) {
    found = make(Node::Kind::unary, token, "-", nodes(std::move(found)));
  }
  if (!sees_any({"+", "-"})) {
    return found;
  }
  take();
  return make(Node::Kind::other, token, "a complex number", nodes(std::move(found), atom()));
}

std::vector<Node> Parser::pattern_list(std::string_view closing, bool& comma) {
  std::vector<Node> parts;
  while (!sees(closing) && !error_) {
    parts.push_back(pattern());
    if (!take_if(",")) {
      break;
    }
    comma = true;
  }
  expect(closing);
  return parts;
}

Node Parser::group_pattern() {
  const Token& token = take();
  bool comma = token.text == "[";
  std::vector<Node> parts = pattern_list(token.text == "[" ? "]" : ")", comma);
  return parts.size() == 1 && !comma ? std::move(parts.front())
                                     : make(Node::Kind::list, token, "a sequence", std::move(parts));
}

// The parts are keys and patterns; the key of `**rest` is a spread.
Node Parser::mapping_pattern() {
  const Token& token = take();
  std::vector<Node> parts;
  while (!sees("}") && !error_) {
    if (sees("**")) {
      parts.push_back(make(Node::Kind::spread, take(), "a mapping"));
      parts.push_back(atom());
    } else {
      parts.push_back(closed_pattern());
      expect(":");
      parts.push_back(pattern());
    }
    if (!take_if(",")) {
      break;
    }
  }
  expect("}");
  return make(Node::Kind::dictionary, token, "a mapping", std::move(parts));
}

// A class with a plain name is a call of it.
Node Parser::class_pattern(Node type) {
  const Token& token = take();
  std::vector<Node> parts;
  base::RareList<std::string> keywords;
  while (!sees(")") && !error_) {
    if (peek().kind == Token::Kind::name && tokens_[at_ + 1].text == "=") {
      keywords.push_back(std::string(take().text));
      take();
    }
    parts.push_back(pattern());
    if (!take_if(",")) {
      break;
    }
  }
  expect(")");
  const bool plain = type.kind == Node::Kind::name;
  Node node =
      make(plain ? Node::Kind::call : Node::Kind::other, token, plain ? type.text : "a class", std::move(parts));
  node.keywords = std::move(keywords);
  node.offset = type.offset;
  node.span.begin = type.span.begin;
  return node;
}

}  // namespace sparsecfg::python
