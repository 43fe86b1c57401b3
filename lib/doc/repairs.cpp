#include "doc/yaml_parts.h"

#include <fmt/core.h>
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "doc/characters.h"
#include "doc/readers.h"
#include "source/value.h"

namespace sparsecfg::doc {

static bool is_bracket_or_comma(std::string_view text, std::size_t at) {
  return at < text.size() && std::string_view(",[]{}").find(text[at]) != std::string_view::npos;
}

// In brackets, PyYAML ends a plain key at `:` before a bracket or comma, as in `{a:[1]}`; libyaml requires a space
// after the colon. Repairs the rest of the brackets up to the first quote or comment in one go, because each repair
// restarts parsing.
static bool separate_colons(std::string_view text, const Problem& problem, InputBuffer& feed) {
  if (problem.at >= text.size() || text[problem.at] != ':' || !is_bracket_or_comma(text, problem.at + 1)) {
    return false;
  }
  std::vector<std::uint32_t> after_colons;
  int depth = problem.flow_depth;
  for (std::uint32_t at = problem.at; at < text.size() && depth > 0; ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'' || c == '#') {
      break;
    }
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= c == ']' || c == '}' ? 1 : 0;
    if (c == ':' && is_bracket_or_comma(text, at + 1)) {
      after_colons.push_back(at + 1);
    }
  }
  feed.insert(after_colons, ' ');
  return true;
}

// Returns the column that PyYAML uses as the indentation of a block scalar whose text begins with a tab: the widest
// preceding line of spaces.
static int leading_column(std::string_view text, std::size_t at, std::size_t end) {
  int widest = 0;
  int column = 0;
  for (at = find_line_end(text, at); at < end;) {
    const std::size_t length = break_length(text, at);
    column = length > 0 ? 0 : column + 1;
    widest = std::max(widest, column);
    at += std::max<std::size_t>(length, 1);
  }
  return column == widest ? column : -1;
}

// If the text of a block scalar begins with a tab, PyYAML uses the spaces before it as the indentation; libyaml
// requires an explicit digit after `|`.
static bool add_indentation_digit(std::string_view text, const Problem& problem, InputBuffer& feed) {
  const std::size_t signs = std::min(text.find_first_not_of("+-", problem.context_at + 1), text.size());
  if (problem.at >= text.size() || !is_space_or_end(text, signs)) {
    return false;
  }
  const int digit = leading_column(text, problem.context_at, problem.at) - std::max(problem.indent, 0);
  if (digit < 1 || digit > 9) {
    return false;
  }
  feed.insert({problem.context_at + 1}, static_cast<char>('0' + digit));
  return true;
}

bool repair(std::string_view text, const Problem& problem, InputBuffer& feed) {
  if (problem.what == "found unexpected ':'") {
    return separate_colons(text, problem, feed);
  }
  if (problem.context == "while scanning a block scalar" && problem.what.starts_with("found a tab")) {
    return add_indentation_digit(text, problem, feed);
  }
  return false;
}

// Returns the span of a comma before the closing bracket at `at`, or nullopt.
static std::optional<source::Span> trailing_comma(std::string_view text, std::size_t at) {
  const std::size_t last = text.substr(0, at).find_last_not_of(" \t\r\n");
  const bool closes = at < text.size() && (text[at] == ']' || text[at] == '}');
  if (!closes || last == std::string_view::npos || text[last] != ',') {
    return std::nullopt;
  }
  return source::Span{static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(last + 1)};
}

// Returns the places of a word outside of double-quoted strings.
static std::vector<source::Span> places_of(std::string_view text, std::string_view word) {
  std::vector<source::Span> out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && text.substr(at).starts_with(word)) {
      out.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())});
      at += word.size() - 1;
    }
  }
  return out;
}

// A constant of Python and its spelling in JSON.
struct Constant {
  std::string_view python;
  std::string_view json;
};

// Reports constants of Python, at the first of them. Returns false if the error at `at` is another one.
static bool report_python_constant(std::string_view text, std::size_t at, diag::Sink& sink) {
  static constexpr Constant kConstants[] = {{"True", "true"}, {"False", "false"}, {"None", "null"}};
  diag::Fix fix = diag::Fix::safe();
  std::vector<source::Span> all;
  for (const Constant& constant : kConstants) {
    for (const source::Span span : places_of(text, constant.python)) {
      all.push_back(span);
      fix.replace(span, std::string(constant.json));
    }
  }
  const auto first = std::ranges::min_element(all, {}, &source::Span::begin);
  if (first == all.end() || at < first->begin || at > first->end) {
    return false;
  }
  sink.report(diag::syntax_error, *first,
              fmt::format("`{}` is not valid JSON", text.substr(first->begin, first->end - first->begin)))
      .with_help("write `true`, `false` and `null`")
      .with_fix(std::move(fix));
  return true;
}

// Reports a comment or a string in single quotes. Returns false if the error at `at` is another one.
static bool report_comment_or_quote(std::string_view text, std::size_t at, diag::Sink& sink) {
  constexpr std::string_view kBegins = "/#'";
  const auto begins = [&](std::size_t place) { return kBegins.find(text[place]) != std::string_view::npos; };
  while (at > 0 && (at >= text.size() || !begins(at) || text[at - 1] == '/') && begins(at - 1)) --at;
  const std::string_view rest = text.substr(std::min(at, text.size()));
  const auto begin = static_cast<std::uint32_t>(at);
  if (rest.starts_with("//") || rest.starts_with('#')) {
    const std::size_t end = find_line_end(text, at);
    sink.report(diag::syntax_error, {begin, static_cast<std::uint32_t>(end)}, "JSON has no comments")
        .with_help("delete the comment")
        .with_fix(diag::Fix::safe().replace({begin, static_cast<std::uint32_t>(end)}, ""));
    return true;
  }
  const std::size_t close = rest.starts_with('\'') ? text.find('\'', at + 1) : std::string_view::npos;
  if (close == std::string_view::npos ||
      text.substr(at, close - at).find_first_of("\"\\\n") != std::string_view::npos) {
    return false;
  }
  const source::Span span{begin, static_cast<std::uint32_t>(close + 1)};
  const std::string quoted = fmt::format("\"{}\"", text.substr(at + 1, close - at - 1));
  sink.report(diag::syntax_error, span, "strings in JSON need double quotes")
      .with_help(fmt::format("write `{}`", quoted))
      .with_fix(diag::Fix::safe().replace(span, quoted));
  return true;
}

void check_json(const source::SourceFile& file, diag::Sink& sink) {
  const std::string_view text = file.text();
  const bool is_json_file = base::to_lower(base::ending_of(file.name())) == "json";
  const auto at = is_json_file ? source::json_error_at(text) : std::nullopt;
  if (!at) {
    return;
  }
  if (const auto comma = trailing_comma(text, *at)) {
    sink.report(diag::syntax_error, *comma, fmt::format("trailing `,` before `{}` is not valid JSON", text[*at]))
        .with_help("delete the `,` (a `.json` file is read as JSON)")
        .with_fix(diag::Fix::safe().replace(*comma, ""));
    return;
  }
  if (report_python_constant(text, *at, sink) || report_comment_or_quote(text, *at, sink)) {
    return;
  }
  const auto begin = static_cast<std::uint32_t>(*at);
  sink.report(diag::syntax_error, {begin, begin}, "this is valid YAML but not valid JSON")
      .with_help("write JSON, or rename the file to end in `.yaml`");
}

}  // namespace sparsecfg::doc
