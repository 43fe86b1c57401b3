#include "doc/python_literals.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/number.h"

namespace sparsecfg::doc {

using source::Span;

constexpr std::string_view kIntTag = "tag:yaml.org,2002:int";
constexpr std::string_view kFloatTag = "tag:yaml.org,2002:float";

Node PythonLiterals::make_scalar(Span span, Style style, std::string_view tag, std::string_view text) {
  Node node;
  node.span = span;
  node.style = style;
  node.tag = tag;
  node.text = text;
  return node;
}

Node PythonLiterals::make_collection(Kind kind, Span span, std::string_view tag) {
  Node node;
  node.kind = kind;
  node.style = Style::flow;
  node.span = span;
  node.tag = tag;
  return node;
}

NodeId PythonLiterals::add(Node node) {
  if (out_.nodes.size() >= limits_.nodes) {
    fail(node.span, fmt::format("the literals have more than {} nodes", limits_.nodes));
  }
  out_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(out_.nodes.size() - 1);
}

void PythonLiterals::fail(Span span, const std::string& what) {
  if (!failed_) {
    sink_.report(diag::limits_exceeded, span, what);
  }
  failed_ = true;
}

NodeId PythonLiterals::read_value(std::size_t depth) {
  const std::uint32_t begin = token().span.begin;
  const std::size_t start = at_;
  const std::size_t nodes = out_.nodes.size();
  const auto value = read_literal(depth);
  if (value && is_over()) {
    return *value;
  }
  if (failed_) {
    return {};
  }
  out_.nodes.resize(nodes);
  at_ = start;
  skip_expression();
  const std::uint32_t end = at_ > start ? tokens_[at_ - 1].span.end : begin;
  const Span span{begin, std::max(begin, end)};
  return add(make_scalar(span, Style::double_quoted, kNotLiteralTag, file_.text(span)));
}

bool PythonLiterals::is_over() const {
  return at(Token::Kind::line_end) || at(Token::Kind::end) || at_mark(';') || at_mark(',') || at_mark(']') ||
         at_mark('}') || at_mark(')') || at_mark(':');
}

// Skips to the comma, colon or bracket that ends the expression.
void PythonLiterals::skip_expression() {
  int depth = 0;
  while (!at(Token::Kind::end) && (depth > 0 || !is_over())) {
    depth += at_mark('(') || at_mark('[') || at_mark('{') ? 1 : 0;
    depth -= at_mark(')') || at_mark(']') || at_mark('}') ? 1 : 0;
    next();
  }
}

std::optional<NodeId> PythonLiterals::read_literal(std::size_t depth) {
  if (depth > limits_.depth) {
    fail(token().span, fmt::format("literals are nested more than {} levels deep", limits_.depth));
    return std::nullopt;
  }
  switch (token().kind) {
    case Token::Kind::name: return read_word();
    case Token::Kind::number: return read_number(token().span.begin, false);
    case Token::Kind::text: return read_text();
    case Token::Kind::mark: return read_marked(depth);
    case Token::Kind::other_text:
    case Token::Kind::line_end:
    case Token::Kind::broken:
    case Token::Kind::end: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<NodeId> PythonLiterals::read_word() {
  const std::string_view word = text(token());
  const std::string_view value = word == "True" ? "true" : word == "False" ? "false" : word == "None" ? "null" : "";
  if (value.empty()) {
    return std::nullopt;
  }
  const NodeId node = add(make_scalar(token().span, Style::plain, {}, value));
  next();
  return node;
}

std::optional<NodeId> PythonLiterals::read_marked(std::size_t depth) {
  if (at_mark('[') || at_mark('(')) {
    return read_sequence(depth);
  }
  if (at_mark('{')) {
    return read_braces(depth);
  }
  const bool sign = (at_mark('-') || at_mark('+')) && token(1).kind == Token::Kind::number;
  if (!sign) {
    return std::nullopt;
  }
  const bool negative = at_mark('-');
  const std::uint32_t begin = token().span.begin;
  next();
  return read_number(begin, negative);
}

// Adjacent string literals are concatenated.
std::string_view PythonLiterals::text_of(Span span, std::string value) {
  const std::string_view written = file_.text(span);
  if (written == value) {
    return written;
  }
  const std::string_view within = written.size() < 2 ? written : written.substr(1, written.size() - 2);
  return within == value ? within : keep(std::move(value));
}

std::optional<NodeId> PythonLiterals::read_text() {
  Span span = token().span;
  std::string value;
  for (; at(Token::Kind::text); next()) {
    value += token().value;
    span.end = token().span.end;
  }
  if (value.size() > limits_.scalar_bytes) {
    fail(span, fmt::format("the string is longer than {} bytes", limits_.scalar_bytes));
  }
  return add(make_scalar(span, Style::double_quoted, {}, text_of(span, std::move(value))));
}

std::optional<NodeId> PythonLiterals::read_number(std::uint32_t begin, bool negative) {
  std::string digits(text(token()));
  std::erase(digits, '_');
  const bool based =
      digits.size() > 2 && digits[0] == '0' && std::string_view("xXoObB").find(digits[1]) != std::string_view::npos;
  const Span span{begin, token().span.end};
  const std::string sign = negative ? "-" : "";
  std::optional<NodeId> node;
  if (based) {
    node = based_number(digits, sign, span);
  } else if (digits.find_first_not_of("0123456789") == std::string::npos) {
    const bool octal = digits.size() > 1 && digits.front() == '0' && digits.find_first_not_of('0') != std::string::npos;
    node = octal ? std::nullopt
                 : std::optional(add(make_scalar(span, Style::plain, kIntTag, text_of(span, sign + digits))));
  } else if (const auto value = base::python_float(digits)) {
    node = add(make_scalar(span, Style::plain, kFloatTag, text_of(span, sign + base::python_repr(*value))));
  }
  if (node) {
    next();
  }
  return node;
}

std::optional<NodeId> PythonLiterals::based_number(const std::string& digits, const std::string& sign, Span span) {
  const char letter = static_cast<char>(digits[1] | 0x20);
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data() + 2, digits.data() + digits.size(), value,
                                    letter == 'x'   ? 16
                                    : letter == 'o' ? 8
                                                    : 2);
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  return whole ? std::optional(add(make_scalar(span, Style::plain, kIntTag, keep(sign + std::to_string(value)))))
               : std::nullopt;
}

// Reads a list or tuple. A single expression in parentheses is not a tuple.
std::optional<NodeId> PythonLiterals::read_sequence(std::size_t depth) {
  const bool list = at_mark('[');
  const char close = list ? ']' : ')';
  Node node = make_collection(Kind::sequence, token().span, list ? std::string_view() : kTupleTag);
  bool comma = false;
  next();
  while (!at_mark(close)) {
    node.items.push_back(read_value(depth + 1));
    if (!separates(close, comma)) {
      return std::nullopt;
    }
  }
  node.span.end = token().span.end;
  next();
  return !list && !comma && node.items.size() == 1 ? node.items.front() : add(std::move(node));
}

// Skips a comma. Returns false if neither a comma nor the closing bracket follows.
bool PythonLiterals::separates(char close, bool& comma) {
  if (at_mark(',')) {
    comma = true;
    next();
    return !failed_;
  }
  return at_mark(close) && !failed_;
}

// Reads a dictionary or a set.
std::optional<NodeId> PythonLiterals::read_braces(std::size_t depth) {
  Node node = make_collection(Kind::mapping, token().span, {});
  bool comma = false;
  next();
  while (!at_mark('}')) {
    node.items.push_back(read_value(depth + 1));
    if (at_mark(':') && node.kind == Kind::mapping) {
      next();
      node.items.push_back(read_value(depth + 1));
    } else if (node.items.size() == 1 || node.kind == Kind::sequence) {
      node.kind = Kind::sequence;
      node.tag = kTupleTag;
    } else {
      return std::nullopt;
    }
    if (!separates('}', comma)) {
      return std::nullopt;
    }
  }
  node.span.end = token().span.end;
  next();
  return add(std::move(node));
}

}  // namespace sparsecfg::doc
