#include "python/parser_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"
#include "python/tree.h"
#include "python/value.h"

namespace sparsecfg::python {

// SparseML's evaluator stops at about 1000 tree levels.
constexpr std::uint16_t kMaxHeight = 500;

// Operator precedence in Python.
constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kNot = 3;
constexpr int kComparison = 4;
constexpr int kBitOr = 5;
constexpr int kBitXor = 6;
constexpr int kBitAnd = 7;
constexpr int kShift = 8;
constexpr int kSum = 9;
constexpr int kProduct = 10;
constexpr int kUnary = 11;

Parser::Level::Level(Parser& parser) : parser_(parser) {
  // Python itself stops at 200 parentheses.
  constexpr std::size_t kMaxDepth = 100;
  if (++parser_.depth_ > kMaxDepth && !parser_.error_) {
    parser_.script_.too_deep = parser_.peek().span();
    parser_.fail(ErrorKind::syntax, fmt::format("the expression is nested more than {} levels deep", kMaxDepth),
                 parser_.peek().offset);
  }
}

std::variant<Node, ExpressionError> parse(std::string_view text) {
  return Parser(text, tokenize(text, stripped(text))).run();
}

std::variant<Node, ExpressionError> parse_expression(std::string_view text) {
  return Parser(text, tokenize(text, stripped(text))).run_expression();
}

// Returns an upper bound for the number of holes in f-strings. Each becomes as many nodes as a word.
static std::size_t count_holes(const std::vector<Token>& tokens) {
  std::size_t out = 0;
  for (const Token& token : tokens) {
    const std::string_view prefix = token.text.substr(0, token.text.find_first_of("'\""));
    const bool format = token.kind == Token::Kind::string && prefix.find_first_of("fF") != std::string_view::npos;
    out += format ? static_cast<std::size_t>(std::ranges::count(token.text, '{')) : 0;
  }
  return out;
}

Script parse_script(std::string_view text) { return parse_script(text, {0, static_cast<std::uint32_t>(text.size())}); }

std::shared_ptr<const Script> parse_script(const source::SourceFile& file) {
  return file.read_once<Script>(parse_script);
}

// Returns the first bracket that is not closed. Python blames it for an error behind it.
static std::optional<ExpressionError> unclosed_in(const std::vector<Token>& tokens) {
  const auto found = std::ranges::find_if(tokens, [](const Token& token) {
    return token.kind == Token::Kind::error && token.fault->message.starts_with("unclosed");
  });
  return found == tokens.end()
             ? std::nullopt
             : std::optional(ExpressionError{ErrorKind::syntax, found->fault->message, found->fault->offset, {}});
}

Script parse_script(std::string_view text, source::Span part) {
  std::vector<source::Span> comments;
  std::vector<Token> tokens = tokenize_script(text, {part.begin, part.end}, comments);
  std::optional<ExpressionError> unclosed = unclosed_in(tokens);
  Script script;
  if (tokens.size() + count_holes(tokens) > limits::kMaxScriptTokens) {
    script.too_long = tokens.front().span();
  } else {
    script = Parser(text, std::move(tokens)).run_script();
    if (unclosed && script.fault && unclosed->offset < script.fault->offset) script.fault = std::move(unclosed);
  }
  script.comments = std::move(comments);
  return script;
}

std::string_view Parser::symbol() const {
  const Token& token = peek();
  return token.kind == Token::Kind::operation || token.kind == Token::Kind::keyword ? token.text : std::string_view();
}

bool Parser::sees_any(std::initializer_list<std::string_view> texts) const {
  return std::ranges::find(texts, symbol()) != texts.end();
}

const Token& Parser::take() {
  const std::size_t matched = at_;
  at_ = std::min(at_ + 1, tokens_.size() - 1);
  return tokens_[matched];
}

bool Parser::take_if(std::string_view text) {
  const bool there = sees(text);
  if (there) {
    take();
  }
  return there;
}

void Parser::expect(std::string_view closing) {
  if (!take_if(closing)) {
    unexpected(fmt::format("`{}`", closing));
  }
}

// The span covers the parts and the last consumed token.
Node Parser::make(Node::Kind kind, const Token& token, std::string text, std::vector<Node> parts) {
  std::uint16_t height = 0;
  source::Span span{token.offset, std::max(end_of_last(), token.offset)};
  for (const Node& part : parts) {
    height = std::max(height, part.height);
    span.begin = std::min(span.begin, part.span.begin);
  }
  if (height == kMaxHeight) {
    const ErrorKind reason = is_script_ ? ErrorKind::too_large : ErrorKind::syntax;
    fail(reason, fmt::format("the expression has more than {} levels", kMaxHeight), token.offset);
  }
  Node out;
  out.kind = kind;
  out.height = static_cast<std::uint16_t>(height + 1);
  out.offset = token.offset;
  out.span = span;
  out.text = std::move(text);
  out.parts = std::move(parts);
  return out;
}

void Parser::reset(const Mark& mark) {
  at_ = mark.at;
  indent_ = mark.indent;
  script_.too_deep = mark.too_deep;
  error_.reset();
}

void Parser::fail(ErrorKind kind, std::string message, std::uint32_t offset) {
  if (!error_) {
    error_ = ExpressionError{kind, std::move(message), offset, {}};
    failed_at_ = at_;
  }
  at_ = tokens_.size() - 1;
}

void Parser::unexpected(std::string_view wanted) {
  const Token& token = peek();
  const bool ends = token.kind == Token::Kind::end || token.kind == Token::Kind::newline;
  std::string message = token.kind == Token::Kind::error ? token.fault->message
                        : ends ? fmt::format("expected {}, found the end of the expression", wanted)
                               : fmt::format("expected {}, found `{}`", wanted, token.text);
  fail(ErrorKind::syntax, std::move(message), token.kind == Token::Kind::error ? token.fault->offset : token.offset);
}

Node Parser::expression() {
  const Level level(*this);
  if (sees_any({"lambda", "yield"})) {
    return sees("lambda") ? lambda() : yield();
  }
  Node value = operation(kOr);
  if (!sees("if")) {
    return value;
  }
  const Token& token = take();
  Node condition = operation(kOr);
  expect("else");
  Node otherwise = expression();
  return make(Node::Kind::conditional, token, "if",
              nodes(std::move(value), std::move(condition), std::move(otherwise)));
}

Node Parser::named_expression() {
  const bool named = peek().kind == Token::Kind::name && at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == ":=";
  if (!named) {
    return expression();
  }
  Node target = atom();
  const Token& token = take();
  Node value = expression();
  return make(Node::Kind::named, token, "`:=`", nodes(std::move(target), std::move(value)));
}

// Parses one element of a list of values.
Node Parser::element(bool may_be_named) {
  if (sees("*")) {
    return spread(false);
  }
  return may_be_named ? named_expression() : expression();
}

// Parses `*` before a value, or before any expression if it is an argument.
Node Parser::spread(bool of_expression) {
  const Level level(*this);
  const Token& token = take();
  Node value = of_expression ? expression() : operation(kBitOr);
  const Node::Target target = value.target == Node::Target::no ? Node::Target::no : Node::Target::list;
  Node node = make(Node::Kind::spread, token, "*", nodes(std::move(value)));
  node.target = target;
  return node;
}

Node Parser::condition() { return operation(kOr); }

// Parses a target of `for`, which ends at `in`.
Node Parser::target_list() {
  const Token& token = peek();
  std::vector<Node> parts;
  bool comma = false;
  do {
    parts.push_back(sees("*") ? spread(false) : operation(kBitOr));
    comma = comma || sees(",");
  } while (take_if(",") && !sees_any({"in", "="}));
  return comma ? make(Node::Kind::tuple, token, "", std::move(parts)) : std::move(parts.front());
}

Node Parser::lambda() {
  const Token& token = take();
  const bool outer = std::exchange(yields_, false);
  auto function = std::make_shared<Statement>();
  function->kind = Statement::Kind::function;
  function->text = "lambda";
  parameters(*function, ":");
  Statement result;
  result.kind = Statement::Kind::result;
  result.value = expression();
  result.span = result.value.span;
  Node node = make(Node::Kind::lambda, token, "`lambda`");
  node.height = static_cast<std::uint16_t>(result.value.height + 1);
  function->span = node.span;
  function->yields = std::exchange(yields_, outer);
  function->body.push_back(std::move(result));
  node.function = std::move(function);
  return node;
}

Node Parser::yield() {
  const Level level(*this);
  const Token& token = take();
  yields_ = true;
  std::vector<Node> parts;
  const bool all = take_if("from");
  if (all) {
    parts.push_back(expression());
  } else if (!error_ && !at_statement_end() && !sees_any({")", "]", "}"})) {
    parts.push_back(expression_list());
  }
  return make(Node::Kind::yield, token, all ? "`yield from`" : "`yield`", std::move(parts));
}

Node Parser::awaited() {
  const Level level(*this);
  const Token& token = take();
  return make(Node::Kind::await, token, "`await`", nodes(primary()));
}

struct Operator {
  std::string_view text;
  int precedence;
};

constexpr std::array<Operator, 23> kOperators = {{
    {"or", kOr},          {"and", kAnd},       {"<", kComparison},  {">", kComparison},  {"<=", kComparison},
    {">=", kComparison},  {"==", kComparison}, {"!=", kComparison}, {"in", kComparison}, {"is", kComparison},
    {"not", kComparison}, {"|", kBitOr},       {"^", kBitXor},      {"&", kBitAnd},      {"<<", kShift},
    {">>", kShift},       {"+", kSum},         {"-", kSum},         {"*", kProduct},     {"/", kProduct},
    {"//", kProduct},     {"%", kProduct},     {"@", kProduct},
}};

// After a value, `not` starts `not in`.
Node Parser::operation(int least_precedence) {
  Node left = prefix(least_precedence);
  while (!error_) {
    const auto* found = std::ranges::find(kOperators, symbol(), &Operator::text);
    if (found == kOperators.end() || found->precedence < least_precedence) {
      break;
    }
    const Token& token = take();
    std::string text(found->text);
    if (text == "not") {
      expect("in");
      text = "not in";
    } else if (text == "is" && take_if("not")) {
      text = "is not";
    }
    left = infix(token, text, std::move(left), operation(found->precedence + 1));
  }
  return left;
}

static Node::Kind kind_of_operation(std::string_view operation) {
  static constexpr std::array<std::string_view, 6> kComparisons = {"<", ">", "<=", ">=", "==", "!="};
  static constexpr std::array<std::string_view, 4> kMemberships = {"in", "not in", "is", "is not"};
  if (is_arithmetic(operation)) {
    return Node::Kind::binary;
  }
  if (operation == "and" || operation == "or") {
    return Node::Kind::logical;
  }
  if (std::ranges::find(kMemberships, operation) != kMemberships.end()) {
    return Node::Kind::membership;
  }
  return std::ranges::find(kComparisons, operation) == kComparisons.end() ? Node::Kind::bitwise
                                                                          : Node::Kind::comparison;
}

Node Parser::infix(const Token& token, const std::string& text, Node left, Node right) {
  return make(kind_of_operation(text), token, text, nodes(std::move(left), std::move(right)));
}

Node Parser::prefix(int least_precedence) {
  const bool is_not = sees("not") && least_precedence <= kNot;
  if (!is_not && !sees_any({"-", "+", "~"})) {
    return power();
  }
  const Level level(*this);
  const Token& token = take();
  Node operand = operation(is_not ? kNot : kUnary);
  return make(Node::Kind::unary, token, std::string(token.text), nodes(std::move(operand)));
}

Node Parser::power() {
  Node base = primary();
  if (!sees("**")) {
    return base;
  }
  const Level level(*this);
  const Token& token = take();
  Node exponent = operation(kUnary);
  return infix(token, "**", std::move(base), std::move(exponent));
}

static bool is_comprehension(const Node& node) {
  return node.parts.size() == 1 && node.parts.front().kind == Node::Kind::comprehension;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::conditional: return "a conditional expression";
    case Node::Kind::attribute: return fmt::format("`.{}`", node.text);
    case Node::Kind::unary: return fmt::format("{}`{}`", node.text == "not" ? "" : "unary ", node.text);
    case Node::Kind::string:
    case Node::Kind::bytes:
    case Node::Kind::format: return "a quoted string";
    case Node::Kind::subscript: return "`[...]` after a value";
    case Node::Kind::slice: return "a slice";
    case Node::Kind::call_of: return "a call of an expression";
    case Node::Kind::spread: return "`*` before a value";
    case Node::Kind::tuple: return is_comprehension(node) ? "`for`" : "a tuple";
    case Node::Kind::list: return is_comprehension(node) ? "`for`" : "a list";
    case Node::Kind::set: return is_comprehension(node) ? "`for`" : "a set";
    case Node::Kind::dictionary: return is_comprehension(node) ? "`for`" : "a dictionary";
    case Node::Kind::hole:
    case Node::Kind::comprehension:
    case Node::Kind::generator:
    case Node::Kind::named:
    case Node::Kind::lambda:
    case Node::Kind::await:
    case Node::Kind::yield:
    case Node::Kind::other: return node.text;
    case Node::Kind::membership:
    case Node::Kind::bitwise:
    case Node::Kind::number:
    case Node::Kind::name:
    case Node::Kind::constant:
    case Node::Kind::binary:
    case Node::Kind::comparison:
    case Node::Kind::logical:
    case Node::Kind::call: return fmt::format("`{}`", node.text);
  }
  return {};
}

}  // namespace sparsecfg::python
