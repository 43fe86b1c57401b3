#include "diag/fix_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "diag/excerpt.h"

namespace sparsecfg::diag {

using source::SourceFile;

namespace {

// Lines that a part of a fix replaces.
struct Hunk {
  std::uint32_t first = 0;  // from 1
  std::vector<std::string_view> before;
  std::vector<std::string> after;
};

}  // namespace

static std::vector<Edit> sorted_edits(const Fix& fix) {
  std::vector<Edit> edits = fix.edits;
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
  return edits;
}

// Returns the place after a line, with its line end.
static std::uint32_t end_of_line(const SourceFile& file, std::uint32_t line) {
  return line < file.line_count() ? file.line_span(line + 1).begin : static_cast<std::uint32_t>(file.text().size());
}

// Removes lines that are the same before and after at both ends.
static void trim(Hunk& hunk) {
  while (!hunk.before.empty() && !hunk.after.empty() && hunk.before.front() == hunk.after.front()) {
    hunk.before.erase(hunk.before.begin());
    hunk.after.erase(hunk.after.begin());
    ++hunk.first;
  }
  while (!hunk.before.empty() && !hunk.after.empty() && hunk.before.back() == hunk.after.back()) {
    hunk.before.pop_back();
    hunk.after.pop_back();
  }
}

// Returns the hunks of edits. Edits in the same or in adjacent lines share a hunk.
static std::vector<Hunk> hunks_of(const SourceFile& file, const std::vector<Edit>& edits) {
  std::vector<Hunk> out;
  for (std::size_t at = 0; at < edits.size();) {
    const std::uint32_t first = file.position(edits[at].span.begin).line;
    std::uint32_t last = file.position(edits[at].span.end).line;
    std::uint32_t place = file.line_span(first).begin;
    std::string text;
    for (; at < edits.size() && file.position(edits[at].span.begin).line <= last + 1; ++at) {
      text += file.text({place, std::max(place, edits[at].span.begin)});
      text += edits[at].text;
      place = edits[at].span.end;
      last = std::max(last, file.position(place).line);
    }
    text += file.text({place, std::max(place, end_of_line(file, last))});
    const std::vector<std::string_view> after = base::lines_of(text);
    Hunk hunk{first, {}, {after.begin(), after.end()}};
    for (std::uint32_t line = first; line <= last; ++line) hunk.before.push_back(file.text(file.line_span(line)));
    trim(hunk);
    out.push_back(std::move(hunk));
  }
  return out;
}

std::string render_fix(const SourceFile& file, const Diagnostic& diagnostic, const Painter& paint, std::size_t gutter,
                       std::size_t columns) {
  constexpr std::size_t kMaxLines = 12;
  const std::vector<Edit> edits = sorted_edits(diagnostic.fix);
  const bool is_notebook = file.cell_at(diagnostic.span.begin) != nullptr;
  const bool is_plain = std::ranges::all_of(edits, [](const Edit& edit) { return edit.kind == Edit::Kind::replace; });
  if (edits.empty() || is_notebook || !is_plain) return {};
  std::string out;
  std::size_t shown = 0;
  std::size_t more = 0;
  const auto add = [&](Style style, char sign, std::size_t line, std::string_view text) {
    if (++shown > kMaxLines) {
      ++more;
      return;
    }
    const std::string number = fmt::format("{:>{}} ", line, gutter);
    const Excerpt excerpt(text, {0, 0}, columns - std::min(columns, gutter + 3));
    out += paint(Style::frame, number) + paint(style, fmt::format("{} {}", sign, excerpt.text())) + "\n";
  };
  for (const Hunk& hunk : hunks_of(file, edits)) {
    for (std::size_t at = 0; at < hunk.before.size(); ++at) add(Style::removed, '-', hunk.first + at, hunk.before[at]);
    for (const std::string& line : hunk.after) add(Style::added, '+', hunk.first, line);
  }
  return more == 0 ? out : out + fmt::format("{:{}} ... {}\n", "", gutter, base::counted(more, "more line"));
}

}  // namespace sparsecfg::diag
