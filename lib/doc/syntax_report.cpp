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

// Where a report points to, and what a second label says.
enum class Place : std::uint8_t {
  problem,        // where libyaml gave up
  context,        // where what it was reading begins: that is what is wrong
  problem_label,  // where it gave up, with a label where it began
};

// One of libyaml's complaints in our words. `{0}` is what stands where it gave up, `{1}` what
// stands where it began to read, `{2}` the two characters where it gave up.
struct Wording {
  std::string_view what;
  std::string_view context;  // the beginning of libyaml's; empty for any
  Place place;
  std::string_view message;
  std::string_view help;
  std::string_view label;
};

constexpr std::string_view kDirectiveHelp = "put a string that begins with `%` in quotes, or delete the line";

constexpr std::array kWordings{
    Wording{"did not find expected ',' or ']'", "", Place::problem_label,
            "{0} stands where a list in brackets goes on with `,` or ends with `]`",
            "close the list with `]`, or put a `,` between its items", "the list begins here"},
    Wording{"did not find expected ',' or '}'", "", Place::problem_label,
            "{0} stands where a mapping in braces goes on with `,` or ends with `}}`",
            "close the mapping with `}`, or put a `,` between its fields", "the mapping begins here"},
    Wording{"did not find expected key", "", Place::problem_label,
            "{0} stands where the next key of a mapping is expected",
            "indent it like what it belongs with, or put the value before it in quotes", "the mapping begins here"},
    Wording{"did not find expected '-' indicator", "", Place::problem_label,
            "{0} stands where the next `- ` of a list is expected",
            "indent it deeper than the `-` of the item that it belongs to", "the list begins here"},
    Wording{"did not find expected node content", "", Place::problem, "{0} stands where a value is expected",
            "write a value before it, or put the text in quotes", ""},
    Wording{"could not find expected ':'", "", Place::context,
            "no `:` follows {1}, which stands where a key is expected",
            "write `name: value`, and put the rest of a long text in the line above or in quotes", ""},
    Wording{"mapping values are not allowed in this context", "", Place::problem,
            "this `:` follows something that can't be a key",
            "put a string that holds `: ` in quotes, indent a key like the keys beside it, and see whether the line "
            "above lacks a `:`",
            ""},
    Wording{"block sequence entries are not allowed in this context", "", Place::problem,
            "this `-` begins an item where no list can begin", "begin the list on a line of its own", ""},
    Wording{"mapping keys are not allowed in this context", "", Place::problem,
            "this `?` begins a key where no mapping can begin", "put a string that begins with `?` in quotes", ""},
    Wording{"found character that cannot start any token", "", Place::problem, "{0} can't begin a string",
            "put the text in quotes", ""},
    Wording{"did not find expected alphabetic or numeric character", "while scanning an alias", Place::context,
            "`*` begins an alias, and no name of letters, digits, `-` and `_` follows",
            "put a string that begins with `*` in quotes", ""},
    Wording{"did not find expected alphabetic or numeric character", "", Place::context,
            "`&` begins an anchor, and no name of letters, digits, `-` and `_` follows",
            "put a string that begins with `&` in quotes", ""},
    Wording{"found undefined tag handle", "", Place::problem,
            "no `%TAG` line says what the first part of this tag stands for", "delete the tag", ""},
    Wording{"found duplicate %TAG directive", "", Place::problem, "an earlier `%TAG` line has the same handle",
            "delete this line", ""},
    Wording{"did not find expected whitespace or line break", "while scanning a tag", Place::problem,
            "{0} follows a tag at once, where a space is expected", "put a space after the tag", ""},
    Wording{"", "while parsing a tag", Place::context, "{1} is not a tag",
            "put a string that begins with `!` in quotes", ""},
    Wording{"", "while scanning a tag", Place::context, "{1} is not a tag",
            "put a string that begins with `!` in quotes", ""},
    Wording{"", "while scanning a directive", Place::context, "{1} is not a directive", kDirectiveHelp, ""},
    Wording{"", "while scanning a %", Place::context, "{1} is not a directive", kDirectiveHelp, ""},
    Wording{"", "while parsing a %", Place::context, "{1} is not a directive", kDirectiveHelp, ""},
    Wording{"found unexpected end of stream", "", Place::context, "this quote is never closed",
            "close it, with a quote of the same kind", ""},
    Wording{"found unexpected document indicator", "", Place::problem_label,
            "{0} at the start of a line ends the document inside a quoted text", "indent the line",
            "the quote opens here"},
    Wording{"found unknown escape character", "", Place::problem, "`{2}` is not an escape within double quotes",
            "write the backslash twice, or use single quotes", ""},
    Wording{"did not find expected hexdecimal number", "", Place::problem,
            "{0} stands where an escape wants hexadecimal digits: 2 after `\\x`, 4 after `\\u`, 8 after `\\U`",
            "write the digits, or use single quotes", ""},
    Wording{"found invalid Unicode character escape code", "", Place::problem, "this escape names no character",
            "write a character beyond U+FFFF as one `\\U` with eight digits", ""},
    Wording{"found an indentation indicator equal to 0", "", Place::problem,
            "`0` can't be the indentation of a block text", "write a number from 1 to 9, or none", ""},
    Wording{"did not find expected comment or line break", "", Place::problem,
            "{0} stands after `|` or `>`, where the line is expected to end",
            "begin the text on the next line, or put it in quotes", ""},
    Wording{"found unexpected ':'", "", Place::problem, "a `:` within brackets is followed at once by another sign",
            "put a space after it, or the text in quotes", ""},
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
    return "the end of the text";
  }
  if (break_length(text, at) > 0) {
    return "the end of the line";
  }
  return text[at] == ' ' ? "a space" : quoted_word(text, at);
}

// An escape: its backslash and what follows.
static std::string_view two_characters(std::string_view text, std::uint32_t at) {
  std::size_t end = at;
  for (int count = 0; count < 2 && end < text.size(); ++count) {
    (void)base::next_code_point(text, end);
  }
  return text.substr(std::min<std::size_t>(at, text.size()), end - at);
}

// The word at `at`, for a caret run under it; nothing at the end of a line.
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

static void report_open_bracket(std::string_view text, std::uint32_t bracket, diag::Sink& sink) {
  sink.report(diag::syntax_error, {bracket, bracket + 1}, fmt::format("this `{}` is never closed", text[bracket]))
      .with_help(fmt::format("write a `{}` where the {} ends", text[bracket] == '[' ? ']' : '}',
                             text[bracket] == '[' ? "list" : "mapping"));
}

static void report_as(const Wording& wording, std::string_view text, const Problem& problem, diag::Sink& sink) {
  const std::string message = fmt::format(fmt::runtime(wording.message), describe_at(text, problem.at),
                                          describe_at(text, problem.context_at), two_characters(text, problem.at));
  const bool at_context = wording.place == Place::context;
  const source::Span span = at_context && wording.message.find("{1}") != std::string_view::npos
                                ? word_span(text, problem.context_at)
                                : character_span(text, at_context ? problem.context_at : problem.at);
  diag::Diagnostic& report = sink.report(diag::syntax_error, span, message).with_help(std::string(wording.help));
  if (wording.place == Place::problem_label) {
    report.with_label(character_span(text, problem.context_at), std::string(wording.label));
  }
}

// One line of the text, without its end.
struct FieldLine {
  std::string_view text;
  std::uint32_t begin = 0;

  std::size_t indent() const { return std::min(text.find_first_not_of(' '), text.size()); }

  // Where its first key begins, behind the dashes of a list; and where the `:` after that key is.
  std::size_t key() const { return std::min(text.find_first_not_of(" -"), text.size()); }

  std::size_t colon() const { return text.find(": "); }
};

static FieldLine line_at(std::string_view text, std::uint32_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin), static_cast<std::uint32_t>(begin)};
}

// The line before another that holds more than a comment.
static std::optional<FieldLine> line_before(std::string_view text, FieldLine line) {
  while (line.begin > 0) {
    line = line_at(text, line.begin - 1);
    const std::size_t first = line.text.find_first_not_of(" \r");
    if (first != std::string_view::npos && line.text[first] != '#') return line;
  }
  return std::nullopt;
}

// A field that is indented deeper than the one above it, which has a value of its own. Returns false if it is not that.
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
  sink.report(diag::syntax_error, {begin, problem.at},
              fmt::format("`{}` is indented by {} columns, but the field above it by {}", base::printable(name),
                          line.indent(), above->key()))
      .with_label({other, static_cast<std::uint32_t>(above->begin + above->colon())}, "the field above it")
      .with_help(fmt::format("indent it by {}", above->key()));
  return true;
}

// The same problem at the `:` of the key that begins its line.
static Problem at_colon(std::string_view text, Problem problem) {
  const FieldLine line = line_at(text, problem.at);
  const std::size_t colon = line.text.find(':');
  if (colon != std::string_view::npos && line.begin + line.indent() == problem.at) {
    problem.at = static_cast<std::uint32_t>(line.begin + colon);
  }
  return problem;
}

// `name:value`, which is one word, or a tag that begins no item. Returns false if it is neither.
static bool report_missing_space(std::string_view text, const Problem& problem, diag::Sink& sink) {
  const source::Span word = word_span(text, problem.context_at);
  const std::string_view written = text.substr(word.begin, word.end - word.begin);
  if (written.starts_with('!')) {
    sink.report(diag::syntax_error, word,
                fmt::format("`{}` stands alone, without a `- ` before it", base::printable(written)))
        .with_help(fmt::format("write `- {}`, and its fields below it", base::printable(written)));
    return true;
  }
  const std::size_t colon = written.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == written.size()) {
    return false;
  }
  const std::string spaced = fmt::format("{}: {}", written.substr(0, colon), written.substr(colon + 1));
  sink.report(diag::syntax_error, word, fmt::format("no space follows the `:` of `{}`", base::printable(written)))
      .with_help(fmt::format("write `{}`", base::printable(spaced)));
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
                fmt::format("{} stands after the end of the document", describe_at(text, problem.at)))
        .with_help("delete it, or indent it like what it belongs to");
    return;
  }
  const auto wording = std::ranges::find_if(kWordings, [&](const Wording& w) {
    return (w.what.empty() || w.what == problem.what) && problem.context.starts_with(w.context);
  });
  if (problem.what == "mapping values are not allowed in this context" && report_too_deep(text, problem, sink)) {
    return;
  }
  if (problem.what == "did not find expected key" && report_too_deep(text, at_colon(text, problem), sink)) {
    return;
  }
  if (problem.what == "could not find expected ':'" && report_missing_space(text, problem, sink)) {
    return;
  }
  if (wording != kWordings.end()) {
    return report_as(*wording, text, problem, sink);
  }
  sink.report(diag::syntax_error, character_span(text, problem.at),
              fmt::format("{} can't stand here: {}", describe_at(text, problem.at), problem.what));
}

}  // namespace sparsecfg::doc
