#include <algorithm>
#include <utility>

#include "python/parser_parts.h"

namespace sparsecfg::python {

// Adjacent literals are concatenated.
Node Parser::strings() {
  const Token& first = peek();
  std::vector<Node> parts;
  std::string text;
  bool bytes = false;
  bool format = false;
  bool unread = false;
  while (peek().kind == Token::Kind::string) {
    const Token& token = take();
    StringLiteral literal = take_apart(token.text);
    bytes = bytes || literal.bytes;
    format = format || literal.format;
    unread = unread || literal.unread;
    if (literal.format) {
      add_format(parts, token);
    } else {
      text += literal.value;
      parts.push_back(make(Node::Kind::string, token, std::move(literal.value)));
      const std::uint32_t begin = token.offset + literal.content;
      parts.back().content = {begin, begin + literal.length};
    }
  }
  if (unread) {
    return make(Node::Kind::other, first, "an escape by name");
  }
  if (parts.size() == 1 && !format) {
    parts.front().kind = bytes ? Node::Kind::bytes : Node::Kind::string;
    return std::move(parts.front());
  }
  const Node::Kind kind = bytes ? Node::Kind::bytes : format ? Node::Kind::format : Node::Kind::string;
  return make(kind, first, format ? std::string() : std::move(text), std::move(parts));
}

static std::size_t end_of_hole(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size() && (depth > 0 || text[at] != '}'); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
  }
  return at;
}

// Splits an f-string into literal parts and holes. A hole that is not an expression gets the kind `other`.
void Parser::add_format(std::vector<Node>& parts, const Token& token) {
  const StringLiteral literal = take_apart(token.text);
  const std::string_view text = text_.substr(token.offset + literal.content, literal.length);
  const auto place = [&](std::size_t at) { return token.offset + literal.content + static_cast<std::uint32_t>(at); };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    std::string value;
    while (at < text.size() && (text[at] != '{' || text.substr(at, 2) == "{{")) {
      at += text.substr(at, 2) == "{{" || text.substr(at, 2) == "}}" ? 1 : 0;
      value += text[at++];
    }
    if (at > begin) {
      Node part = make(Node::Kind::string, token, literal.raw ? std::move(value) : unescaped(value));
      part.span = {place(begin), place(at)};
      part.content = part.span;
      parts.push_back(std::move(part));
    }
    if (at >= text.size()) {
      break;
    }
    const std::size_t end = end_of_hole_expression(text, at + 1);
    const std::size_t close = end_of_hole(text, end);
    Node part = make(Node::Kind::hole, token, std::string(text.substr(end, close - end)));
    part.span = {place(at), place(std::min(close + 1, text.size()))};
    part.content = {place(end), place(close)};
    part.parts.push_back(hole({place(at + 1), place(end)}));
    parts.push_back(std::move(part));
    at = close + 1;
  }
}

// Returns the expression of a hole. One that cannot be parsed is of kind `other`.
Node Parser::hole(source::Span span) {
  const std::string_view text = text_.substr(0, span.end);
  std::size_t begin = std::min<std::size_t>(text.find_first_not_of(" \t\r\n", span.begin), span.end);
  Node unread;
  unread.span = span;
  unread.text = "a hole";
  constexpr std::size_t kMaxNested = 50;
  if (begin == span.end || depth_ > kMaxNested) {
    return unread;
  }
  auto parsed = Parser(text_, tokenize(text, {begin, span.end}), depth_ + 1).run_expression();
  auto* node = std::get_if<Node>(&parsed);
  return node == nullptr ? std::move(unread) : std::move(*node);
}

}  // namespace sparsecfg::python
