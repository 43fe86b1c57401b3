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

// Parses lines of one indentation, and misindented deeper lines.
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
  if (peek().indent > block) note_fault({ErrorKind::syntax, "unexpected indentation", peek().offset, {}});
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
      skipped_body(found, indent);
    }
    out.push_back(std::move(found));
    if (failed || compound) {
      return;
    }
  } while (take_if(";") && !at_statement_end());
}

// Parses the deeper lines after a line that could not be parsed. It may begin a block.
void Parser::skipped_body(Statement& out, std::int32_t indent) {
  const Level level(*this);
  while (!error_ && peek().kind == Token::Kind::newline) {
    take();
  }
  if (!error_ && peek().indent > indent) {
    std::vector<Statement> deeper = block(peek().indent);
    std::ranges::move(deeper, std::back_inserter(out.body));
    indent_ = indent;
  }
  if (error_) {
    note_fault(*std::exchange(error_, std::nullopt));
    skip_lines(indent);
  }
}

// Skips all lines that are deeper than `indent`.
void Parser::skip_lines(std::int32_t indent) {
  at_ = std::min(failed_at_, tokens_.size() - 1);
  while (peek().kind != Token::Kind::end && (peek().indent < 0 || peek().indent > indent)) {
    take();
  }
}

// Keeps the first error for which Python rejects the script. Limits of this parser are none.
void Parser::note_fault(ExpressionError error) {
  const bool rejects = error.kind != ErrorKind::too_large && script_.too_deep.empty();
  if (rejects && !script_.fault) script_.fault = std::move(error);
}

// Skips the rest of a line that is not valid Python. The targets of an assignment in it become unknown.
void Parser::recover(std::size_t start, Statement& partial) {
  at_ = std::max(failed_at_, start);
  while (peek().kind != Token::Kind::newline && peek().kind != Token::Kind::end) {
    take();
  }
  note_fault(*std::exchange(error_, std::nullopt));
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
      {"with", Kind::with},
      {"try", Kind::attempt},
      {"@", Kind::function},
  }};
  if (peek().kind == Token::Kind::name) {
    std::optional<Statement> soft = match();
    return soft ? std::move(soft) : type_alias();
  }
  const bool is_async = take_if("async");
  const auto* found = std::ranges::find(kKinds, symbol(), [](const auto& known) { return known.first; });
  if (found == kKinds.end()) {
    return std::nullopt;
  }
  const Level level(*this);
  Statement out;
  out.kind = found->second;
  out.offset = peek().offset;
  out.is_async = is_async;
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
    with_items(out, sees("("));
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
  out.is_async = take_if("async") || out.is_async;
  out.kind = sees("class") ? Kind::type : Kind::function;
  if (!take_if("class")) {
    expect("def");
  }
  out.text = name().text;
  type_parameters();
  if (out.kind == Kind::function) {
    expect("(");
    parameters(out, ")");
    if (take_if("->")) {
      out.values.push_back(expression());
    }
  } else if (take_if("(")) {
    class_arguments(out);
  }
  const bool outer = std::exchange(yields_, false);
  out.body = suite();
  out.yields = std::exchange(yields_, outer);
}

void Parser::class_arguments(Statement& out) {
  Arguments bases;
  while (!sees(")") && !error_) {
    argument(bases);
    if (!take_if(",")) {
      break;
    }
  }
  expect(")");
  out.targets = std::move(bases.positional);
  out.values = std::move(bases.named);
}

// Skips the type parameters of a definition, which affect no value.
void Parser::type_parameters() {
  if (!sees("[")) {
    return;
  }
  std::size_t depth = 0;
  do {
    depth += sees("[") ? 1 : 0;
    depth -= sees("]") ? 1 : 0;
    take();
  } while (depth > 0 && peek().kind != Token::Kind::end);
}

// Parses parameters and the token that closes them. Annotations are allowed only in parentheses.
void Parser::parameters(Statement& out, std::string_view closing) {
  Parameter::Form form = Parameter::Form::plain;
  while (!sees(closing) && !error_) {
    if (take_if("/")) {
      for (Parameter& before : out.parameters) before.form = Parameter::Form::positional;
    } else if (sees("*") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == ",") {
      take();
      form = Parameter::Form::keyword;
    } else {
      parameter(out, closing, form);
    }
    if (!take_if(",")) {
      break;
    }
  }
  expect(closing);
}

void Parser::parameter(Statement& out, std::string_view closing, Parameter::Form& form) {
  Parameter found;
  found.form = take_if("*") ? Parameter::Form::rest : take_if("**") ? Parameter::Form::mapping : form;
  form = found.form == Parameter::Form::rest ? Parameter::Form::keyword : form;
  const Name named = name();
  found.name = named.text;
  found.span = named.span;
  if (closing == ")" && take_if(":")) {
    out.values.push_back(sees("*") ? spread(false) : expression());
  }
  if (take_if("=")) {
    found.fallback.push_back(expression());
  }
  out.parameters.push_back(std::move(found));
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

// Parentheses may enclose the items, or one expression.
void Parser::with_items(Statement& out, bool in_parentheses) {
  const Mark start = mark();
  if (in_parentheses) {
    take();
  }
  do {
    out.values.push_back(expression());
    out.targets.push_back(take_if("as") ? operation(0) : Node());
  } while (take_if(",") && !(in_parentheses && sees(")")));
  const bool closed = in_parentheses && !error_ && take_if(")") && sees(":");
  if (in_parentheses && !closed) {
    reset(start);
    out.values.clear();
    out.targets.clear();
    with_items(out, false);
  }
}

void Parser::attempt(Statement& out) {
  out.body = suite();
  while (continues("except") && !error_) {
    out.clauses.push_back(handler());
  }
  out.otherwise = continues("else") ? suite() : std::vector<Statement>();
  out.last = continues("finally") ? suite() : std::vector<Statement>();
}

Statement Parser::handler() {
  Statement out;
  out.kind = Kind::handler;
  out.span = peek().span();
  take_if("*");
  if (!sees(":")) {
    out.value = expression_list();
  }
  if (take_if("as")) {
    out.text = name().text;
  }
  out.body = suite();
  return out;
}

// Parses `elif` and `else`. The branches are nested only after all of them are parsed.
std::vector<Statement> Parser::alternative() {
  std::vector<Statement> branches;
  while (!error_ && continues("elif")) {
    Statement branch;
    branch.kind = Kind::conditional;
    branch.indent = indent_;
    branch.offset = end_of_last();
    branch.span.begin = peek().offset;
    branch.value = named_expression();
    branch.body = suite();
    branch.span.end = end_of_last();
    branches.push_back(std::move(branch));
  }
  std::vector<Statement> out = !error_ && continues("else") ? suite() : std::vector<Statement>();
  while (!branches.empty()) {
    branches.back().otherwise = std::move(out);
    out.clear();
    out.push_back(std::move(branches.back()));
    branches.pop_back();
  }
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
    const bool deeper = peek().indent > indent;
    if (!deeper) note_fault({ErrorKind::syntax, "expected an indented block", end_of_last(), {}});
    out = deeper ? block(peek().indent) : std::vector<Statement>();
  }
  indent_ = indent;
  return out;
}

}  // namespace sparsecfg::python
