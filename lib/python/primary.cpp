#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "python/normalized_name.h"
#include "python/parser_parts.h"

namespace sparsecfg::python {

Node Parser::primary() {
  if (sees("await")) {
    return awaited();
  }
  Node node = atom();
  while (sees_any({".", "[", "("})) {
    node = sees(".") ? attribute(std::move(node)) : sees("[") ? subscript(std::move(node)) : call(std::move(node));
  }
  return node;
}

Node Parser::atom() {
  if (sees("(")) return parenthesized();
  if (sees("[")) return list();
  if (sees("{")) return braces();
  if (peek().kind == Token::Kind::string) return strings();
  if (sees_any({"True", "False", "None", "..."})) {
    const Token& token = take();
    return make(Node::Kind::constant, token, std::string(token.text));
  }
  const bool is_name = peek().kind == Token::Kind::name;
  if (!is_name && peek().kind != Token::Kind::number) {
    unexpected("a value");
    return {};
  }
  const Token& token = take();
  const Node::Kind kind = is_name ? Node::Kind::name : token.fault == nullptr ? Node::Kind::number : Node::Kind::other;
  if (kind == Node::Kind::other) note_fault({ErrorKind::syntax, token.fault->message, token.fault->offset, {}});
  Node node = make(kind, token, is_name ? normalized_name(token.text) : std::string(token.text));
  node.target = is_name ? Node::Target::single : Node::Target::no;
  return node;
}

Node Parser::attribute(Node object) {
  const Token& token = take();
  std::string what = name().text;
  Node node = make(Node::Kind::attribute, token, std::move(what), nodes(std::move(object)));
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
  Node node = make(Node::Kind::subscript, token, "", std::move(parts));
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
  std::vector<std::uint32_t> places(parts.size(), 0);
  for (std::uint32_t colons = 1; colons < 3 && take_if(":"); ++colons) {
    if (!sees_any({":", ",", "]"})) {
      parts.push_back(expression());
      places.push_back(colons);
    }
  }
  Node node = make(Node::Kind::slice, token, "", std::move(parts));
  node.places = std::move(places);
  return node;
}

// Parses one argument; the evaluator checks the order of the others. A `*list` may follow a keyword argument but not a
// `**mapping`; any other positional argument may follow neither.
void Parser::argument(Arguments& arguments) {
  const bool has_keyword = peek().kind == Token::Kind::name && tokens_[at_ + 1].text == "=";
  if (has_keyword || sees("**")) {
    arguments.spans.push_back(peek().span());
    arguments.has_mapping = arguments.has_mapping || !has_keyword;
    arguments.keywords.push_back(normalized_name(take().text));
    if (has_keyword) {
      take();
    }
    arguments.named.push_back(expression());
  } else if (sees("*") && !arguments.has_mapping) {
    arguments.positional.push_back(spread(true));
  } else if (arguments.keywords.empty()) {
    Node value = named_expression();
    const bool lazy = at_comprehension();
    arguments.positional.push_back(lazy ? generator(comprehension(nodes(std::move(value)))) : std::move(value));
  } else {
    fail(ErrorKind::syntax, "positional argument follows keyword argument", peek().offset);
  }
}

Node Parser::call(Node function) {
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
  const bool by_name = function.kind == Node::Kind::name;
  const source::Span span{function.span.begin, end_of_last()};
  const std::uint32_t offset = by_name ? function.offset : token.offset;
  std::string text = by_name ? std::move(function.text) : std::string();
  if (!by_name) {
    parts.insert(parts.begin(), std::move(function));
  }
  Node node = make(by_name ? Node::Kind::call : Node::Kind::call_of, token, std::move(text), std::move(parts));
  node.offset = offset;
  node.span = span;
  node.keywords = std::move(arguments.keywords);
  node.keyword_spans = std::move(arguments.spans);
  return node;
}

// Parses what follows the element of a comprehension: `for` and `if`, repeatedly.
Node Parser::comprehension(std::vector<Node> element) {
  const Token& token = peek();
  std::vector<Node> parts = std::move(element);
  std::vector<std::uint32_t> places;
  while (at_comprehension() && !error_) {
    take_if("async");
    expect("for");
    places.push_back(static_cast<std::uint32_t>(parts.size()));
    parts.push_back(target_list());
    expect("in");
    parts.push_back(condition());
    while (take_if("if")) {
      parts.push_back(condition());
    }
  }
  Node node = make(Node::Kind::comprehension, token, "`for`", std::move(parts));
  node.places = std::move(places);
  return node;
}

// Returns a generator, which is reported as its comprehension.
Node Parser::generator(Node comprehension) {
  Node node = comprehension;
  node.kind = Node::Kind::generator;
  node.places.clear();
  node.parts = nodes(std::move(comprehension));
  node.height = static_cast<std::uint16_t>(node.parts.front().height + 1);
  return node;
}

// Parses elements up to `closing`. Sets `comma` to true if there is a comma.
std::vector<Node> Parser::elements(std::string_view closing, bool& comma) {
  std::vector<Node> parts;
  while (!sees(closing) && !error_) {
    Node value = element(true);
    parts.push_back(at_comprehension() ? comprehension(nodes(std::move(value))) : std::move(value));
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

// Returns a collection. A comprehension is reported at its `for`.
Node Parser::collection(Node::Kind kind, const Token& token, std::vector<Node> parts) {
  Node node = make(kind, token, "", std::move(parts));
  node.span = {token.offset, std::max(end_of_last(), token.offset)};
  if (node.parts.size() == 1 && node.parts.front().kind == Node::Kind::comprehension) {
    node.offset = node.parts.front().offset;
  }
  return node;
}

Node Parser::parenthesized() {
  const Token& token = take();
  if (sees("yield")) {
    Node value = yield();
    expect(")");
    return value;
  }
  const bool starred = sees("*");
  bool comma = false;
  std::vector<Node> parts = elements(")", comma);
  if (parts.size() == 1 && !comma) {
    if (starred) {
      fail(ErrorKind::syntax, "`*` is not allowed before a single value", token.offset);
    }
    Node inner = parts.front().kind == Node::Kind::comprehension ? generator(std::move(parts.front()))
                                                                 : std::move(parts.front());
    inner.span = {token.offset, end_of_last()};
    return inner;
  }
  const Node::Target target = target_of(parts);
  Node node = collection(Node::Kind::tuple, token, std::move(parts));
  node.target = target;
  return node;
}

Node Parser::list() {
  const Token& token = take();
  bool comma = false;
  std::vector<Node> parts = elements("]", comma);
  const Node::Target target = target_of(parts);
  Node node = collection(Node::Kind::list, token, std::move(parts));
  node.target = target;
  return node;
}

// Parses a set, or a dictionary with pairs as members.
Node Parser::braces() {
  const Token& token = take();
  std::vector<Node> parts;
  std::optional<bool> has_pairs;
  while (!sees("}") && !error_) {
    const bool pair = member(parts);
    if (has_pairs.value_or(pair) != pair) {
      fail(ErrorKind::syntax, "pairs and single values are mixed in one pair of braces", token.offset);
    }
    has_pairs = pair;
    if (!take_if(",")) {
      break;
    }
  }
  expect("}");
  return collection(has_pairs.value_or(true) ? Node::Kind::dictionary : Node::Kind::set, token, std::move(parts));
}

// Parses a member of braces. Returns true for a pair.
bool Parser::member(std::vector<Node>& parts) {
  const Token& token = peek();
  const bool mapping = take_if("**");
  std::vector<Node> member;
  if (mapping) {
    member.push_back(make(Node::Kind::spread, token, "**"));
  }
  member.push_back(mapping ? expression() : element(true));
  const bool pair = !mapping && take_if(":");
  if (pair) {
    member.push_back(expression());
  }
  if (at_comprehension()) {
    parts.push_back(comprehension(std::move(member)));
  } else {
    std::ranges::move(member, std::back_inserter(parts));
  }
  return pair || mapping;
}

}  // namespace sparsecfg::python
