#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "python/parser.h"

namespace sparsecfg::python {

Node Parser::primary() {
  if (sees("await")) {
    reject(peek());
  }
  Node node = atom();
  while (sees_any({".", "[", "("})) {
    node = sees(".") ? attribute(std::move(node)) : sees("[") ? subscript(std::move(node)) : call(node);
  }
  return node;
}

Node Parser::atom() {
  if (sees("(")) return parenthesized();
  if (sees("[")) return list();
  if (sees("{")) return braces();
  if (peek().kind == Token::Kind::string) return strings();
  if (sees_any({"True", "False", "None"})) {
    const Token& token = take();
    return make(Node::Kind::constant, token, std::string(token.text));
  }
  if (sees("...")) {
    return unsupported(take(), "`...`");
  }
  const bool is_name = peek().kind == Token::Kind::name;
  if (!is_name && peek().kind != Token::Kind::number) {
    unexpected("a value");
    return {};
  }
  const Token& token = take();
  Node node = make(is_name ? Node::Kind::name : Node::Kind::number, token, std::string(token.text));
  node.target = is_name ? Node::Target::single : Node::Target::no;
  return node;
}

Node Parser::strings() {
  const Token& token = take();
  while (peek().kind == Token::Kind::string) {
    take();
  }
  return unsupported(token, "a quoted string");
}

Node Parser::attribute(Node object) {
  const Token& token = take();
  std::string what(peek().text);
  name();
  Node node = make(Node::Kind::attribute, token, std::move(what), {std::move(object)});
  node.target = Node::Target::single;
  return node;
}

Node Parser::subscript(Node object) {
  const Token& token = take();
  std::vector<Node> parts;
  parts.push_back(std::move(object));
  do {
    parts.push_back(slice());
  } while (take_if(",") && !sees("]"));
  expect("]");
  Node node = unsupported(token, "`[...]` after a value", std::move(parts));
  node.target = Node::Target::single;
  return node;
}

Node Parser::slice() {
  const Token& token = peek();
  std::vector<Node> parts;
  if (!sees(":")) {
    parts.push_back(element(true));
  }
  if (!sees(":")) {
    return std::move(parts.front());
  }
  for (int colons = 0; colons < 2 && take_if(":"); ++colons) {
    if (!sees_any({":", ",", "]"})) {
      parts.push_back(expression());
    }
  }
  return unsupported(token, "a slice", std::move(parts));
}

// Parses one argument; the evaluator checks the order of the others. A `*list` may follow a keyword argument but not a
// `**mapping`; any other positional argument may follow neither.
void Parser::argument(Arguments& arguments) {
  const bool has_keyword = peek().kind == Token::Kind::name && tokens_[at_ + 1].text == "=";
  const bool has_mapping = std::ranges::find(arguments.keywords, "**") != arguments.keywords.end();
  if (has_keyword || sees("**")) {
    arguments.keywords.emplace_back(take().text);
    if (has_keyword) {
      take();
    }
    arguments.named.push_back(expression());
  } else if (sees("*") && !has_mapping) {
    arguments.positional.push_back(spread(true));
  } else if (arguments.keywords.empty()) {
    arguments.positional.push_back(named_expression());
    refuse_comprehension();
  } else {
    fail(ErrorKind::syntax, "positional argument follows keyword argument", peek().offset);
  }
}

Node Parser::call(const Node& function) {
  const Token& token = take();
  Arguments arguments;
  while (!sees(")") && !error_) {
    argument(arguments);
    if (!take_if(",")) {
      break;
    }
  }
  expect(")");
  // Python evaluates positional arguments first.
  std::vector<Node> parts = std::move(arguments.positional);
  std::ranges::move(arguments.named, std::back_inserter(parts));
  if (function.kind != Node::Kind::name) {
    parts.insert(parts.begin(), function);
    return unsupported(token, "a call of an expression", std::move(parts));
  }
  Node node = make(Node::Kind::call, token, function.text, std::move(parts));
  node.offset = function.offset;
  node.keywords = std::move(arguments.keywords);
  return node;
}

void Parser::refuse_comprehension() {
  if (sees_any({"for", "async"})) {
    reject(peek());
  }
}

// Parses elements up to `closing`. Sets `comma` to true if there is a comma.
std::vector<Node> Parser::elements(std::string_view closing, bool& comma) {
  std::vector<Node> parts;
  while (!sees(closing) && !error_) {
    parts.push_back(element(true));
    refuse_comprehension();
    if (!take_if(",")) {
      break;
    }
    comma = true;
  }
  expect(closing);
  return parts;
}

static Node::Target target_of(const std::vector<Node>& parts) {
  const auto assignable = [](const Node& part) { return part.target != Node::Target::no; };
  return std::ranges::all_of(parts, assignable) ? Node::Target::list : Node::Target::no;
}

Node Parser::parenthesized() {
  const Token& token = take();
  const bool starred = sees("*");
  bool comma = false;
  std::vector<Node> parts = elements(")", comma);
  if (parts.size() == 1 && !comma) {
    if (starred) {
      fail(ErrorKind::syntax, "`*` is not allowed before a single value", token.offset);
    }
    return std::move(parts.front());
  }
  const Node::Target target = target_of(parts);
  Node node = unsupported(token, "a tuple", std::move(parts));
  node.target = target;
  return node;
}

Node Parser::list() {
  const Token& token = take();
  bool comma = false;
  std::vector<Node> parts = elements("]", comma);
  const Node::Target target = target_of(parts);
  Node node = unsupported(token, "a list", std::move(parts));
  node.target = target;
  return node;
}

// Parses a set, or a dictionary with pairs as members.
Node Parser::braces() {
  const Token& token = take();
  std::vector<Node> parts;
  std::optional<bool> has_pairs;
  while (!sees("}") && !error_) {
    bool pair = take_if("**");
    parts.push_back(pair ? expression() : element(true));
    if (!pair && take_if(":")) {
      parts.push_back(expression());
      pair = true;
    }
    if (has_pairs.value_or(pair) != pair) {
      fail(ErrorKind::syntax, "pairs and single values are mixed in one pair of braces", token.offset);
    }
    has_pairs = pair;
    refuse_comprehension();
    if (!take_if(",")) {
      break;
    }
  }
  expect("}");
  return unsupported(token, has_pairs.value_or(true) ? "a dictionary" : "a set", std::move(parts));
}

}  // namespace sparsecfg::python
