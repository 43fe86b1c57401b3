#include <algorithm>
#include <array>
#include <utility>

#include "python/parser_parts.h"

namespace sparsecfg::python {

using Kind = Statement::Kind;

Script Parser::run_script() {
  is_script_ = true;
  script_.statements = block(0);
  return std::move(script_);
}

// Parses lines of one indentation. They include deeper lines that follow a statement that could not be parsed.
std::vector<Statement> Parser::block(std::int32_t indent) {
  std::vector<Statement> out;
  while (peek().kind != Token::Kind::end && (peek().indent < 0 || peek().indent >= indent)) {
    if (peek().kind == Token::Kind::newline || sees(";")) {
      take();
    } else {
      logical_line(out, indent);
    }
  }
  return out;
}

// Parses one line, with the lines below it that are its body.
void Parser::logical_line(std::vector<Statement>& out, std::int32_t block) {
  indent_ = peek().indent < 0 ? indent_ : peek().indent;
  const std::int32_t indent = indent_;
  script_.misindented = script_.misindented || (peek().indent > block && !skipped_);
  do {
    const std::size_t start = at_;
    const Token& token = peek();
    std::optional<Statement> compound = compound_statement();
    Statement found = compound ? std::move(*compound) : statement();
    if (!compound && !error_ && !at_statement_end()) {
      unexpected("an operator");
    }
    found.indent = indent;
    found.span = {token.offset, std::max(end_of_last(), token.offset)};
    const bool failed = error_.has_value();
    if (failed) {
      recover(start, found);
      skipped_ = true;
    }
    out.push_back(std::move(found));
    if (failed || compound) {
      return;
    }
  } while (take_if(";") && !at_statement_end());
}

// Skips the rest of a line that is not valid Python. The targets of an assignment in it become unknown.
void Parser::recover(std::size_t start, Statement& partial) {
  at_ = std::max(failed_at_, start);
  while (peek().kind != Token::Kind::newline && peek().kind != Token::Kind::end) {
    take();
  }
  error_.reset();
  partial.span.end = std::max(end_of_last(), partial.span.begin);
  const bool assigns = partial.kind == Kind::assignment && !partial.targets.empty();
  partial.kind = assigns ? Kind::assignment : Kind::skipped;
  if (assigns) {
    const auto equals = std::ranges::upper_bound(tokens_, partial.targets.back().span.end, {}, &Token::offset);
    const auto value = std::ranges::find(equals, tokens_.end(), std::string_view("="), &Token::text);
    partial.value = {};
    const std::uint32_t end = partial.span.end;
    partial.value.span = {value + 1 < tokens_.end() ? std::min((value + 1)->offset, end) : end, end};
    partial.value.offset = partial.value.span.begin;
  }
}

// Returns nullopt, without advancing, if the statement lacks a body.
std::optional<Statement> Parser::compound_statement() {
  static constexpr std::array<std::pair<std::string_view, Kind>, 8> kKinds = {{
      {"if", Kind::conditional},
      {"for", Kind::loop},
      {"while", Kind::loop},
      {"def", Kind::function},
      {"class", Kind::type},
      {"with", Kind::block},
      {"try", Kind::block},
      {"@", Kind::function},
  }};
  if (sees("async")) {
    take();
  }
  const auto* found = std::ranges::find(kKinds, symbol(), [](const auto& known) { return known.first; });
  if (found == kKinds.end()) {
    return std::nullopt;
  }
  const Level level(*this);
  Statement out;
  out.kind = found->second;
  out.offset = peek().offset;
  if (out.kind == Kind::function || out.kind == Kind::type) {
    definition(out);
  } else if (out.kind == Kind::loop) {
    loop(out);
  } else if (out.kind == Kind::conditional) {
    take();
    out.value = named_expression();
    out.body = suite();
    out.otherwise = alternative();
  } else if (take_if("with")) {
    with_items(out);
    out.body = suite();
  } else {
    take();
    attempt(out);
  }
  return out;
}

void Parser::definition(Statement& out) {
  while (take_if("@")) {
    out.decorators.push_back(named_expression());
    while (peek().kind == Token::Kind::newline) {
      take();
    }
  }
  take_if("async");
  out.kind = sees("class") ? Kind::type : Kind::function;
  if (!take_if("class")) {
    expect("def");
  }
  out.text = name().text;
  if (out.kind == Kind::function) {
    expect("(");
    parameters(out, ")");
    if (take_if("->")) {
      expression();
    }
  } else if (take_if("(")) {
    bool comma = false;
    Arguments bases;
    while (!sees(")") && !error_) {
      argument(bases);
      comma = take_if(",");
      if (!comma) break;
    }
    expect(")");
    out.targets = std::move(bases.positional);
  }
  out.body = suite();
}

// Parses parameters and the token that closes them. Annotations are allowed only in parentheses.
void Parser::parameters(Statement& out, std::string_view closing) {
  while (!sees(closing) && !error_) {
    const std::string_view star = take_if("*") ? "*" : take_if("**") ? "**" : "";
    if (!(!star.empty() && sees(",")) && !take_if("/")) {
      Statement::Name parameter = name();
      parameter.alias = star;
      if (closing == ")" && take_if(":")) {
        expression();
      }
      if (take_if("=")) {
        parameter.alias = "=";
        expression();
      }
      out.names.push_back(std::move(parameter));
    }
    if (!take_if(",")) {
      break;
    }
  }
  expect(closing);
}

void Parser::loop(Statement& out) {
  if (take_if("while")) {
    out.value = named_expression();
  } else {
    take();
    out.targets.push_back(target_list());
    expect("in");
    out.value = expression_list();
  }
  out.body = suite();
  out.otherwise = continues("else") ? suite() : std::vector<Statement>();
}

void Parser::with_items(Statement& out) {
  bool any = false;
  do {
    Node item = expression();
    if (!any) {
      out.value = std::move(item);
    }
    any = true;
    if (take_if("as")) {
      out.targets.push_back(operation(0));
    }
  } while (take_if(","));
}

// The handlers of `try` follow its body.
void Parser::attempt(Statement& out) {
  out.body = suite();
  while (continues("except") && !error_) {
    take_if("*");
    if (!sees(":")) {
      expression_list();
    }
    if (take_if("as")) {
      name();
    }
    std::vector<Statement> handler = suite();
    std::ranges::move(handler, std::back_inserter(out.otherwise));
  }
  for (const std::string_view word : {"else", "finally"}) {
    std::vector<Statement> more = continues(word) ? suite() : std::vector<Statement>();
    std::ranges::move(more, std::back_inserter(word == "else" ? out.body : out.otherwise));
  }
}

std::vector<Statement> Parser::alternative() {
  if (continues("else")) {
    return suite();
  }
  if (!continues("elif")) {
    return {};
  }
  const Level level(*this);
  Statement inner;
  inner.kind = Kind::conditional;
  inner.indent = indent_;
  inner.offset = end_of_last();
  inner.span.begin = peek().offset;
  inner.value = named_expression();
  inner.body = suite();
  inner.otherwise = alternative();
  inner.span.end = end_of_last();
  std::vector<Statement> out;
  out.push_back(std::move(inner));
  return out;
}

// Consumes a keyword that continues a compound statement of the current indentation.
bool Parser::continues(std::string_view keyword) {
  const std::size_t start = at_;
  while (peek().kind == Token::Kind::newline) {
    take();
  }
  if (peek().indent == indent_ && take_if(keyword)) {
    return true;
  }
  at_ = start;
  return false;
}

// Parses the body of a compound statement: the rest of the line, or the deeper lines that follow.
std::vector<Statement> Parser::suite() {
  expect(":");
  if (error_) {
    return {};
  }
  const std::int32_t indent = indent_;
  std::vector<Statement> out;
  if (peek().kind != Token::Kind::newline) {
    logical_line(out, indent);
  } else {
    take();
    out = peek().indent > indent ? block(peek().indent) : std::vector<Statement>();
  }
  indent_ = indent;
  return out;
}

}  // namespace sparsecfg::python
