#include "doc/yaml_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "doc/characters.h"
#include "doc/trivia_scanner.h"

namespace sparsecfg::doc {

namespace {

// Position of the report, and whether it has a second label.
enum class Place : std::uint8_t {
  problem,        // where libyaml stopped
  context,        // at the beginning of the construct being parsed, which is the faulty one
  problem_label,  // where libyaml stopped, with a label at the beginning of the construct
};

// Rewording of a libyaml error. `{0}` is the text where it stopped, `{1}` the text at the beginning of the construct
// being parsed, `{2}` the two characters where it stopped.
struct Wording {
  std::string_view what;
  std::string_view context;  // prefix of libyaml's context; empty matches any
  Place place;
  std::string_view message;
  std::string_view help;
  std::string_view label;
};

constexpr std::string_view kDirectiveHelp = "quote a string that begins with `%`, or delete the line";

constexpr std::array kWordings{
    Wording{"did not find expected ',' or ']'", "", Place::problem_label, "expected `,` or `]` in the list, found {0}",
            "close the list with `]`, or add a `,` between its items", "the list starts here"},
    Wording{"did not find expected ',' or '}'", "", Place::problem_label,
            "expected `,` or `}}` in the mapping, found {0}",
            "close the mapping with `}`, or add a `,` between its fields", "the mapping starts here"},
    Wording{"did not find expected key", "", Place::problem_label, "expected the next key of the mapping, found {0}",
            "indent it like the neighboring keys, or quote the value before it", "the mapping starts here"},
    Wording{"did not find expected '-' indicator", "", Place::problem_label,
            "expected the next `- ` item of the list, found {0}", "indent it deeper than the `-` of its list item",
            "the list starts here"},
    Wording{"did not find expected node content", "", Place::problem, "expected a value, found {0}",
            "add a value before it, or quote the text", ""},
    Wording{"could not find expected ':'", "", Place::context, "expected a key, but {1} is not followed by `:`",
            "write `name: value`; put the rest of a long string on the line above or in quotes", ""},
    Wording{"mapping values are not allowed in this context", "", Place::problem,
            "the text before this `:` can't be a key",
            "quote a string that contains `: `, align the key with its neighbors, and check whether the line "
            "above lacks a `:`",
            ""},
    Wording{"block sequence entries are not allowed in this context", "", Place::problem,
            "a list can't start at this `-`", "start the list on a new line", ""},
    Wording{"mapping keys are not allowed in this context", "", Place::problem, "a mapping key can't start at this `?`",
            "quote a string that begins with `?`", ""},
    Wording{"found character that cannot start any token", "", Place::problem,
            "an unquoted string can't begin with {0}", "quote the text", ""},
    Wording{"did not find expected alphabetic or numeric character", "while scanning an alias", Place::context,
            "expected an alias name of letters, digits, `-` and `_` after `*`", "quote a string that begins with `*`",
            ""},
    Wording{"did not find expected alphabetic or numeric character", "", Place::context,
            "expected an anchor name of letters, digits, `-` and `_` after `&`", "quote a string that begins with `&`",
            ""},
    Wording{"found undefined tag handle", "", Place::problem, "no `%TAG` line defines the handle of this tag",
            "delete the tag", ""},
    Wording{"found duplicate %TAG directive", "", Place::problem, "duplicate `%TAG` line for this handle",
            "delete this line", ""},
    Wording{"did not find expected whitespace or line break", "while scanning a tag", Place::problem,
            "expected a space after the tag, found {0}", "add a space after the tag", ""},
    Wording{"", "while parsing a tag", Place::context, "{1} is not a valid tag", "quote a string that begins with `!`",
            ""},
    Wording{"", "while scanning a tag", Place::context, "{1} is not a valid tag", "quote a string that begins with `!`",
            ""},
    Wording{"", "while scanning a directive", Place::context, "{1} is not a valid directive", kDirectiveHelp, ""},
    Wording{"", "while scanning a %", Place::context, "{1} is not a valid directive", kDirectiveHelp, ""},
    Wording{"", "while parsing a %", Place::context, "{1} is not a valid directive", kDirectiveHelp, ""},
    Wording{"found unexpected end of stream", "", Place::context, "unclosed quote",
            "close it with a quote of the same kind", ""},
    Wording{"found unexpected document indicator", "", Place::problem_label,
            "{0} at the start of a line ends the document inside a quoted string", "indent the line",
            "the quote opens here"},
    Wording{"found unknown escape character", "", Place::problem, "unknown escape `{2}` in a double-quoted string",
            "write the backslash twice, or use single quotes", ""},
    Wording{"did not find expected hexdecimal number", "", Place::problem,
            "expected hexadecimal digits (2 after `\\x`, 4 after `\\u`, 8 after `\\U`), found {0}",
            "write the digits, or use single quotes", ""},
    Wording{"found invalid Unicode character escape code", "", Place::problem,
            "this escape is not a valid Unicode character",
            "write a character above U+FFFF as one `\\U` escape with eight digits", ""},
    Wording{"found an indentation indicator equal to 0", "", Place::problem,
            "`0` is not a valid indentation for a block scalar", "write a number from 1 to 9, or omit it", ""},
    Wording{"did not find expected comment or line break", "", Place::problem,
            "expected the end of the line after `|` or `>`, found {0}", "start the text on the next line, or quote it",
            ""},
    Wording{"found unexpected ':'", "", Place::problem, "a `:` in brackets must be followed by a space",
            "add a space after it, or quote the text", ""},
};

}  // namespace

static std::string quoted_word(std::string_view text, std::uint32_t at) {
  constexpr std::size_t kMaxLength = 24;
  std::size_t end = at;
  for (std::size_t count = 0; count < kMaxLength && !is_space_or_end(text, end) && text[end] != '\t'; ++count) {
    (void)base::next_code_point(text, end);
  }
  return fmt::format("`{}`", text.substr(at, end - at));
}

static std::string describe_at(std::string_view text, std::uint32_t at) {
  if (at >= text.size()) {
    return "the end of the input";
  }
  if (break_length(text, at) > 0) {
    return "the end of the line";
  }
  return text[at] == ' ' ? "a space" : quoted_word(text, at);
}

// Returns an escape: its backslash and the next character.
static std::string_view two_characters(std::string_view text, std::uint32_t at) {
  std::size_t end = at;
  for (int count = 0; count < 2 && end < text.size(); ++count) {
    (void)base::next_code_point(text, end);
  }
  return text.substr(std::min<std::size_t>(at, text.size()), end - at);
}

// Returns the span of the word at `at`, for the caret. Empty at the end of a line.
static source::Span word_span(std::string_view text, std::uint32_t at) {
  std::size_t end = at;
  while (!is_space_or_end(text, end) && text[end] != '\t') {
    (void)base::next_code_point(text, end);
  }
  return {at, static_cast<std::uint32_t>(end)};
}

static source::Span character_span(std::string_view text, std::uint32_t at) {
  std::size_t end = at;
  if (at < text.size() && break_length(text, at) == 0) {
    (void)base::next_code_point(text, end);
  }
  return {at, static_cast<std::uint32_t>(end)};
}

// Offers to close a bracket or quote at the end of its line.
static diag::Fix closed_on_line(std::string_view text, std::uint32_t at, char close) {
  const std::size_t end = find_line_end(text, at);
  const std::size_t comment = std::min(text.substr(0, end).find(" #", at), end);
  const std::size_t last = text.substr(0, comment).find_last_not_of(" \t\r");
  const auto place = static_cast<std::uint32_t>(last == std::string_view::npos ? at : last + 1);
  return diag::Fix::unsafe().replace({place, place}, std::string(1, close));
}

static void report_open_bracket(std::string_view text, std::uint32_t bracket, diag::Sink& sink) {
  sink.report(diag::syntax_error, {bracket, bracket + 1}, fmt::format("unclosed `{}`", text[bracket]))
      .with_help(fmt::format("add `{}` at the end of the {}", text[bracket] == '[' ? ']' : '}',
                             text[bracket] == '[' ? "list" : "mapping"))
      .with_fix(closed_on_line(text, bracket, text[bracket] == '[' ? ']' : '}'));
}

static void report_as(const Wording& wording, std::string_view text, const Problem& problem, diag::Sink& sink) {
  const std::string message = fmt::format(fmt::runtime(wording.message), describe_at(text, problem.at),
                                          describe_at(text, problem.context_at), two_characters(text, problem.at));
  const char opened = problem.context_at < text.size() ? text[problem.context_at] : ' ';
  const bool bracket = problem.what.starts_with("did not find expected ',' or") && (opened == '[' || opened == '{');
  // A bracket that is open at the end of its line is closed there.
  const bool earlier =
      bracket && problem.at > problem.context_at && problem.at <= text.size() &&
      text.substr(problem.context_at, problem.at - problem.context_at).find('\n') != std::string_view::npos;
  const bool at_context = wording.place == Place::context || earlier;
  const source::Span span = at_context && wording.message.find("{1}") != std::string_view::npos
                                ? word_span(text, problem.context_at)
                                : character_span(text, at_context ? problem.context_at : problem.at);
  diag::Diagnostic& report = sink.report(diag::syntax_error, span, message).with_help(std::string(wording.help));
  if (earlier) {
    report.with_label(character_span(text, problem.at), "found here");
  } else if (wording.place == Place::problem_label) {
    report.with_label(character_span(text, problem.context_at), std::string(wording.label));
  }
  const bool open = problem.what == "found unexpected end of stream" && (opened == '"' || opened == '\'');
  if (open) report.with_fix(closed_on_line(text, problem.context_at, opened));
  if (bracket) report.with_fix(closed_on_line(text, problem.context_at, opened == '[' ? ']' : '}'));
}

// One line of the text, without its line break.
struct FieldLine {
  std::string_view text;
  std::uint32_t begin = 0;

  std::size_t indent() const { return std::min(text.find_first_not_of(' '), text.size()); }

  // Returns the column of the first key, after any list dashes. colon() returns the column of the `:` after it.
  std::size_t key() const { return std::min(text.find_first_not_of(" -"), text.size()); }

  std::size_t colon() const { return text.find(": "); }
};

static FieldLine line_at(std::string_view text, std::uint32_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin), static_cast<std::uint32_t>(begin)};
}

// Returns the previous line that is neither blank nor a comment.
static std::optional<FieldLine> line_before(std::string_view text, FieldLine line) {
  while (line.begin > 0) {
    line = line_at(text, line.begin - 1);
    const std::size_t first = line.text.find_first_not_of(" \r");
    if (first != std::string_view::npos && line.text[first] != '#') return line;
  }
  return std::nullopt;
}

// Offers to move a line, and the lines after it that are at least as deep, to the left.
static diag::Fix moved_left(std::string_view text, const FieldLine& first, std::size_t columns) {
  diag::Fix fix = diag::Fix::unsafe();
  for (FieldLine line = first; !line.text.empty() && line.indent() >= first.indent();) {
    fix.replace({line.begin, static_cast<std::uint32_t>(line.begin + columns)}, "");
    const std::size_t next = line.begin + line.text.size() + 1;
    if (next >= text.size()) break;
    line = line_at(text, static_cast<std::uint32_t>(next));
  }
  return fix;
}

// Reports a field that is indented deeper than the field above it, which has a value. Returns false if this is not the
// fault.
static bool report_too_deep(std::string_view text, const Problem& problem, diag::Sink& sink) {
  const FieldLine line = line_at(text, problem.at);
  const std::optional<FieldLine> above = line_before(text, line);
  const bool first_colon = problem.at >= line.begin && line.text.find(':') == problem.at - line.begin;
  if (!above || !first_colon || above->colon() == std::string_view::npos || line.indent() <= above->key()) {
    return false;
  }
  const std::string_view name = line.text.substr(line.indent(), problem.at - line.begin - line.indent());
  const auto begin = static_cast<std::uint32_t>(line.begin + line.indent());
  const auto other = static_cast<std::uint32_t>(above->begin + above->key());
  sink.report(
          diag::syntax_error, {begin, problem.at},
          fmt::format("`{}` is indented by {} columns, the field above it by {}", name, line.indent(), above->key()))
      .with_label({other, static_cast<std::uint32_t>(above->begin + above->colon())}, "the field above it")
      .with_help(fmt::format("indent it by {} columns", above->key()))
      .with_fix(moved_left(text, line, line.indent() - above->key()));
  return true;
}

// Moves the problem to the `:` of the key at the beginning of its line.
static Problem at_colon(std::string_view text, Problem problem) {
  const FieldLine line = line_at(text, problem.at);
  const std::size_t colon = line.text.find(':');
  if (colon != std::string_view::npos && line.begin + line.indent() == problem.at) {
    problem.at = static_cast<std::uint32_t>(line.begin + colon);
  }
  return problem;
}

// Reports `name:value` without a space, or a tag that is not a list item. Returns false if it is neither.
static bool report_missing_space(std::string_view text, const Problem& problem, diag::Sink& sink) {
  const source::Span word = word_span(text, problem.context_at);
  const std::string_view written = text.substr(word.begin, word.end - word.begin);
  if (written.starts_with('!')) {
    sink.report(diag::syntax_error, word, fmt::format("missing `- ` before the tag `{}`", written))
        .with_help(fmt::format("write `- {}` with its fields below it", written))
        .with_fix(diag::Fix::unsafe().replace({word.begin, word.begin}, "- "));
    return true;
  }
  const std::size_t colon = written.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == written.size()) {
    return false;
  }
  const std::string spaced = fmt::format("{}: {}", written.substr(0, colon), written.substr(colon + 1));
  sink.report(diag::syntax_error, word, fmt::format("missing space after the `:` in `{}`", written))
      .with_help(fmt::format("write `{}`", spaced))
      .with_fix(diag::Fix::safe().replace(word, spaced));
  return true;
}

// Reports `name:value` in the line above, which made a string of the first field of a mapping. Returns false if it is
// not the fault.
static bool report_missing_space_above(std::string_view text, const Problem& problem, diag::Sink& sink) {
  const std::optional<FieldLine> above = line_before(text, line_at(text, problem.at));
  if (!above) {
    return false;
  }
  const std::size_t begin = above->key();
  const std::string_view written = base::trim(above->text.substr(begin));
  const std::size_t colon = written.find(':');
  const bool field = colon != std::string_view::npos && colon > 0 && colon + 1 < written.size() &&
                     std::ranges::all_of(written.substr(0, colon), base::is_name_letter) && written[colon + 1] != ' ' &&
                     written[colon + 1] != '/' && written.find(' ') == std::string_view::npos;
  if (!field) {
    return false;
  }
  const auto at = static_cast<std::uint32_t>(above->begin + begin);
  Problem moved = problem;
  moved.context_at = at;
  return report_missing_space(text, moved, sink);
}

// Reports the lines of a Markdown fence around the recipe. Returns false if the text does not begin with one.
static bool report_fence(std::string_view text, const Problem& problem, diag::Sink& sink) {
  constexpr std::string_view kFence = "```";
  const FieldLine line = line_at(text, problem.at);
  if (!line.text.starts_with(kFence)) {
    return false;
  }
  diag::Fix fix = diag::Fix::unsafe();
  const auto end = static_cast<std::uint32_t>(line.begin + line.text.size());
  fix.replace({line.begin, std::min(end + 1, static_cast<std::uint32_t>(text.size()))}, "");
  const std::size_t close = text.find("\n```", end);
  if (close != std::string_view::npos) {
    fix.replace({static_cast<std::uint32_t>(close + 1), static_cast<std::uint32_t>(find_line_end(text, close + 1))},
                "");
  }
  sink.report(diag::syntax_error, {line.begin, end}, "a Markdown fence is not YAML")
      .with_help("delete the lines that begin with ```` ``` ````, or rename the file to end in `.md`")
      .with_fix(std::move(fix));
  return true;
}

// Reports an unquoted `*.weight`, which YAML reads as an alias. Returns false if it is not a glob.
static bool report_glob(std::string_view text, const Problem& problem, diag::Sink& sink) {
  if (problem.context != "while scanning an alias" || problem.context_at >= text.size()) {
    return false;
  }
  const std::size_t end = std::min(text.find_first_of(",]} \t\r\n", problem.context_at), text.size());
  const std::string glob = base::regex_of_glob(text.substr(problem.context_at, end - problem.context_at));
  if (end <= problem.context_at + 1 || glob.empty()) {
    return false;
  }
  sink.report(diag::syntax_error, {problem.context_at, static_cast<std::uint32_t>(end)},
              "YAML reads an unquoted `*` as the beginning of an alias")
      .with_help(fmt::format("write `'re:{}'` for a pattern, or put the string in quotes", glob))
      .with_fix(diag::Fix::unsafe().replace({problem.context_at, static_cast<std::uint32_t>(end)},
                                            fmt::format("'re:{}'", glob)));
  return true;
}

void report_problem(std::string_view text, const Problem& problem, std::optional<std::uint32_t> open_bracket,
                    bool after_document, diag::Sink& sink) {
  if (problem.what.starts_with("found a tab") || (problem.at < text.size() && text[problem.at] == '\t')) {
    return report_tab(text, problem.at, sink);
  }
  const bool quote_open = problem.what == "found unexpected end of stream";
  if (problem.at >= text.size() && open_bracket && !quote_open) {
    return report_open_bracket(text, *open_bracket, sink);
  }
  if (after_document) {
    sink.report(diag::syntax_error, word_span(text, problem.at),
                fmt::format("found {} after the end of the document", describe_at(text, problem.at)))
        .with_help("delete it, or indent it to match the block it belongs to");
    return;
  }
  const auto wording = std::ranges::find_if(kWordings, [&](const Wording& w) {
    return (w.what.empty() || w.what == problem.what) && problem.context.starts_with(w.context);
  });
  if (problem.what == "mapping values are not allowed in this context" &&
      (report_missing_space_above(text, problem, sink) || report_too_deep(text, problem, sink))) {
    return;
  }
  if (problem.what == "did not find expected key" && report_too_deep(text, at_colon(text, problem), sink)) {
    return;
  }
  if (problem.what == "could not find expected ':'" && report_missing_space(text, problem, sink)) {
    return;
  }
  if (report_glob(text, problem, sink) || report_fence(text, problem, sink)) {
    return;
  }
  if (wording != kWordings.end()) {
    return report_as(*wording, text, problem, sink);
  }
  sink.report(diag::syntax_error, character_span(text, problem.at),
              fmt::format("{} is not allowed here: {}", describe_at(text, problem.at), problem.what));
}

}  // namespace sparsecfg::doc
