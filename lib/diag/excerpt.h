#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/painter.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::diag {

// One line of a recipe as a terminal can show it: unsafe characters escaped, each tab as four
// spaces, and cut with `...` where it is too wide. Costs what it shows, not what the line holds.
class Excerpt {
 public:
  // All of `line` if it fits into `width` columns, else the part around `focus`, which counts
  // bytes from the start of the line.
  Excerpt(std::string_view line, source::Span focus, std::size_t width);

  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] bool is_cut() const { return is_cut_; }

  // The column, from 0, at which a byte of the line is shown. What is cut off counts as standing
  // at the nearer border.
  [[nodiscard]] std::size_t column(std::uint32_t byte) const;

 private:
  struct Cell {
    std::size_t byte;
    std::size_t column;
  };

  void show(std::string_view line, std::size_t begin, std::size_t end);

  std::string text_;
  std::vector<Cell> cells_;  // one for each character shown, and one for the end; none if each has one column
  bool is_cut_ = false;
};

// The lines of the recipe that a diagnostic speaks of, numbered, with `^^^^` under its place and
// `----` under its labels, each followed by its text. Lines that are not neighbours are parted by
// `...`; of a span over several lines the first line is marked. An empty text has no lines.
struct Snippet {
  std::size_t gutter;  // columns of the line numbers, which the lines around the snippet align to
  std::string text;
};

[[nodiscard]] Snippet render_snippet(const source::SourceFile& file, const Diagnostic& diagnostic, const Painter& paint,
                                     std::size_t columns);

}  // namespace sparsecfg::diag
