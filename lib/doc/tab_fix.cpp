#include "doc/yaml_parts.h"

#include <algorithm>
#include <vector>

#include "doc/characters.h"

namespace sparsecfg::doc {

namespace {

struct Line {
  std::uint32_t begin = 0;
  std::uint32_t content = 0;  // end of its indentation
  std::uint32_t end = 0;
};

}  // namespace

// Returns the lines that are not blank.
static std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t content = std::min(text.find_first_not_of(" \t", begin), text.size());
    const std::size_t end = find_line_end(text, content);
    if (end > content) {
      lines.push_back(
          {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(content), static_cast<std::uint32_t>(end)});
    }
    begin = end + std::max<std::size_t>(1, break_length(text, end));
  }
  return lines;
}

static std::string_view indentation_of(std::string_view text, const Line& line) {
  return text.substr(line.begin, line.content - line.begin);
}

static bool has_tab(std::string_view text, const Line& line) {
  return indentation_of(text, line).find('\t') != std::string_view::npos;
}

// Returns the column of a line without tabs after this one: the same level, or one level deeper below a key without a
// value.
static std::size_t column_after(std::string_view text, const Line& line, bool item) {
  std::size_t column = line.content - line.begin;
  std::string_view content = text.substr(line.content, line.end - line.content);
  while (!item && content.starts_with("- ")) {
    content.remove_prefix(2);
    column += 2;
  }
  return column + (content.ends_with(':') ? 2 : 0);
}

diag::Fix spaces_for_tabs(std::string_view text, std::uint32_t at) {
  constexpr std::size_t kMaxLines = 10'000;
  const std::vector<Line> lines = lines_of(text);
  const auto has_space = [&](const Line& line) {
    return indentation_of(text, line).find(' ') != std::string_view::npos;
  };
  const bool alone = std::ranges::none_of(lines, has_space);
  diag::Fix fix = diag::Fix::safe_if(alone);
  const Line* before = nullptr;
  bool mends = false;
  for (const Line& line : lines) {
    if (!has_tab(text, line)) {
      before = text[line.content] == '#' ? before : &line;
      continue;
    }
    const bool item = text.substr(line.content).starts_with("- ");
    const std::size_t width = alone               ? 2 * indentation_of(text, line).size()
                              : before == nullptr ? 0
                                                  : column_after(text, *before, item);
    fix.replace({line.begin, line.content}, std::string(width, ' '));
    mends = mends || (line.begin <= at && at < line.content);
  }
  return mends && fix.edits.size() <= kMaxLines ? fix : diag::Fix();
}

}  // namespace sparsecfg::doc
