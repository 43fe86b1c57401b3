#include "diag/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace sparsecfg::diag {

using source::Span;

// One run of carets or dashes under one line.
struct Mark {
  std::uint32_t line;
  Span part;  // in bytes from the start of the line
  std::string text;
  bool primary;
};

static Mark make_mark(const source::SourceFile& file, Span span, std::string_view text, bool primary) {
  const std::uint32_t number = file.position(span.begin).line;
  const Span line = file.line_span(number);
  const std::uint32_t begin = std::min(span.begin, line.end);
  const std::uint32_t end = std::clamp(span.end, begin, line.end);
  return {number, {begin - line.begin, end - line.begin}, base::printable(text), primary};
}

// The labels that a snippet shows. The last of them states the number of further ones.
constexpr std::size_t kMaxLabels = 12;

static std::vector<Mark> make_marks(const source::SourceFile& file, const Diagnostic& diagnostic) {
  std::vector<Mark> marks{make_mark(file, diagnostic.span, diagnostic.caret, true)};
  for (const Label& label : std::span(diagnostic.labels).first(std::min(diagnostic.labels.size(), kMaxLabels))) {
    marks.push_back(make_mark(file, label.span, label.text, false));
  }
  if (diagnostic.labels.size() > kMaxLabels) {
    marks.back().text += fmt::format(", and at {} more", base::counted(diagnostic.labels.size() - kMaxLabels, "place"));
  }
  std::ranges::stable_sort(marks, {},
                           [](const Mark& mark) { return std::tuple(mark.line, mark.part.begin, mark.primary); });
  return marks;
}

namespace {

// Renders the rows of one snippet.
class Writer {
 public:
  Writer(const source::SourceFile& file, Severity severity, const Painter& paint, std::size_t gutter,
         std::size_t columns)
      : file_(file), severity_(severity), paint_(paint), gutter_(gutter), width_(columns - gutter - 3) {}

  std::string write(std::span<const Mark> marks) {
    row("", "");
    while (!marks.empty()) {
      const auto last = std::ranges::find_if(marks, [&](const Mark& m) { return m.line != marks[0].line; });
      const auto count = static_cast<std::size_t>(last - marks.begin());
      line(marks.first(count));
      marks = marks.subspan(count);
      if (!marks.empty() && marks[0].line != shown_ + 1) {
        out_ += paint_(Style::frame, "...") + "\n";
      }
    }
    return std::move(out_);
  }

 private:
  void row(std::string_view number, std::string_view content) {
    out_ += paint_(Style::frame, fmt::format("{:>{}} |", number, gutter_));
    out_ += content.empty() ? "\n" : fmt::format(" {}\n", content);
  }

  // Writes a line with its marks. If the line is too wide, each mark gets a separate excerpt of the line.
  void line(std::span<const Mark> marks) {
    shown_ = marks[0].line;
    const std::string_view text = file_.text(file_.line_span(shown_));
    const Excerpt whole(text, marks[0].part, width_);
    if (!whole.is_cut()) {
      excerpt(whole, marks);
      return;
    }
    for (const Mark& mark : marks) {
      excerpt(Excerpt(text, mark.part, width_), std::span(&mark, 1));
    }
  }

  void excerpt(const Excerpt& excerpt, std::span<const Mark> marks) {
    row(std::to_string(shown_), excerpt.text());
    row("", underline(excerpt, marks) + last_text(marks));
    for (std::size_t at = marks.size() - 1; at-- > 0;) {
      if (!marks[at].text.empty()) {
        row("", hanging_text(excerpt, marks.first(at + 1)));
      }
    }
  }

  std::string underline(const Excerpt& excerpt, std::span<const Mark> marks) const {
    std::string cells;
    for (const bool primary : {false, true}) {  // carets hide dashes
      for (const Mark& mark : marks) {
        if (mark.primary == primary) {
          const std::size_t begin = excerpt.column(mark.part.begin);
          const std::size_t end = std::max(begin + 1, excerpt.column(mark.part.end));
          cells.resize(std::max(cells.size(), end), ' ');
          std::fill(cells.begin() + static_cast<std::ptrdiff_t>(begin),
                    cells.begin() + static_cast<std::ptrdiff_t>(end), primary ? '^' : '-');
        }
      }
    }
    return painted(cells);
  }

  std::string painted(std::string_view cells) const {
    std::string out;
    while (!cells.empty()) {
      const std::string_view run = cells.substr(0, cells.find_first_not_of(cells[0]));
      out += run[0] == ' ' ? std::string(run) : paint_(style(run[0] == '^'), run);
      cells.remove_prefix(run.size());
    }
    return out;
  }

  std::string last_text(std::span<const Mark> marks) const {
    const Mark& mark = marks.back();
    return mark.text.empty() ? "" : " " + paint_(style(mark.primary), mark.text);
  }

  // Returns the label of the last mark, below its start, with a bar for each label that is still to be written.
  std::string hanging_text(const Excerpt& excerpt, std::span<const Mark> marks) const {
    std::string out;
    std::size_t column = 0;
    for (const Mark& mark : marks) {
      const bool last = &mark == &marks.back();
      const std::size_t place = excerpt.column(mark.part.begin);
      if (last || (!mark.text.empty() && place >= column && place < excerpt.column(marks.back().part.begin))) {
        out.append(place - std::min(place, column), ' ');
        out += paint_(style(mark.primary), last ? std::string_view(mark.text) : "|");
        column = place + 1;
      }
    }
    return out;
  }

  Style style(bool primary) const { return primary ? style_of(severity_) : Style::frame; }

  const source::SourceFile& file_;
  Severity severity_;
  const Painter& paint_;
  std::size_t gutter_;
  std::size_t width_;
  std::uint32_t shown_ = 0;
  std::string out_;
};

}  // namespace

Snippet render_snippet(const source::SourceFile& file, const Diagnostic& diagnostic, const Painter& paint,
                       std::size_t columns) {
  const std::vector<Mark> marks = make_marks(file, diagnostic);
  const std::size_t gutter = std::to_string(marks.back().line).size();
  if (file.text().empty()) {
    return {gutter, ""};
  }
  return {gutter, Writer(file, diagnostic.severity, paint, gutter, columns).write(marks)};
}

}  // namespace sparsecfg::diag
