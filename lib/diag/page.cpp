#include "diag/page.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/wrap.h"
#include "diag/painter.h"

namespace sparsecfg::diag {

namespace {

// The form of a line: its indentation, and the place of the second column in a row of two columns.
struct Line {
  std::string_view text;
  std::size_t indent = 0;
  std::size_t columns = 1;              // number of columns, separated by two or more spaces
  std::optional<std::size_t> second{};  // byte offset of the second column

  [[nodiscard]] std::string_view body() const { return text.substr(indent); }

  [[nodiscard]] bool is_row() const { return columns == 2; }
};

// Words that decide the color of a line about one action. Longer phrases come first.
constexpr std::pair<std::string_view, Style> kResults[] = {
    {": exact", Style::added},         {": equivalent", Style::added}, {": approximated", Style::warning},
    {": not converted", Style::frame}, {": dropped", Style::error},    {": not compared", Style::warning}};

// Words at the start of a line and their color.
constexpr std::pair<std::string_view, Style> kStarts[] = {
    {"--- ", Style::title},      {"+++ ", Style::title},  {"@@ ", Style::frame},
    {"- ", Style::removed},      {"+ ", Style::added},    {"note:", Style::info},
    {"warning", Style::warning}, {"error", Style::error}, {"selected by", Style::added}};

}  // namespace

static Line line_of(std::string_view text) {
  Line line{text};
  line.indent = std::min(text.find_first_not_of(' '), text.size());
  for (std::size_t at = text.find("  ", line.indent); at != std::string_view::npos; at = text.find("  ", at)) {
    at = std::min(text.find_first_not_of(' ', at), text.size());
    if (at == text.size()) break;
    if (!line.second) line.second = at;
    ++line.columns;
  }
  return line;
}

// Returns the indentation of continuations. A second column that starts too far to the right is not used.
static std::size_t hanging_indent(const Line& line, std::size_t columns) {
  const std::size_t second = line.second ? base::display_width(line.text.substr(0, *line.second)) : columns;
  return second <= columns / 2 ? second : line.indent + 2;
}

static std::string wrapped_line(const Line& line, std::size_t columns) {
  const bool is_table = line.columns > 3;  // rows of three columns end with text
  if (columns == 0 || is_table || base::display_width(line.text) <= columns) return std::string(line.text);
  const std::size_t hanging = hanging_indent(line, columns);
  if (line.second && base::display_width(line.text.substr(0, *line.second)) == hanging) {
    return std::string(line.text.substr(0, *line.second)) +
           base::wrapped(line.text.substr(*line.second), hanging, columns);
  }
  return std::string(line.indent, ' ') + base::wrapped(line.body(), hanging, columns);
}

// Returns the style of the whole line, or of its start up to `end`.
static std::pair<Style, std::size_t> style_of(const Line& line, bool is_heading) {
  const std::size_t whole = line.text.size();
  for (const auto& [start, style] : kStarts) {
    if (!line.body().starts_with(start)) continue;
    const bool is_word = start.back() != ' ';
    return {style, is_word ? line.indent + start.size() : whole};
  }
  if (is_heading && line.columns == 1) return {Style::title, whole};
  return line.is_row() ? std::pair(Style::title, line.text.find("  ", line.indent)) : std::pair(Style::plain, whole);
}

// Colors the first `end` bytes of a line. Lines after the first one are continuations and have the same color if the
// whole line has it.
static std::string painted(const std::string& text, const Line& line, bool is_heading, const Painter& paint) {
  for (const auto& [word, style] : kResults) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + 2;
    return text.substr(0, begin) + paint(style, text.substr(begin, word.size() - 2)) +
           text.substr(begin + word.size() - 2);
  }
  const auto [style, end] = style_of(line, is_heading);
  if (end < line.text.size()) return paint(style, text.substr(0, end)) + text.substr(end);
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t stop = std::min(text.find('\n', begin), text.size());
    out += paint(style, std::string_view(text).substr(begin, stop - begin));
    if (stop < text.size()) out += '\n';
    begin = stop + 1;
  }
  return out;
}

std::string as_page(std::string_view text, const PageOptions& options) {
  if (!options.color && options.columns == 0) return std::string(text);
  const Painter paint(options.color);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const Line line = line_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const Line next = line_of(text.substr(0, text.find('\n')));
    const bool is_heading = !line.text.empty() && !next.text.empty() && next.indent > line.indent;
    const std::string shown = wrapped_line(line, options.columns);
    out += options.color ? painted(shown, line, is_heading, paint) : shown;
    if (end != std::string_view::npos) out += '\n';
  }
  return out;
}

}  // namespace sparsecfg::diag
