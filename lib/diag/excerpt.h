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

// One line of a recipe, prepared for a terminal. Unsafe characters are escaped, each tab is shown as four spaces, and a
// line that is too wide is cut with `...`. The cost is proportional to the visible part, not to the length of the line.
class Excerpt {
 public:
  // Shows the whole `line` if it fits into `width` columns, otherwise the part around `focus`, which is in bytes from
  // the start of the line.
  Excerpt(std::string_view line, source::Span focus, std::size_t width);

  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] bool is_cut() const { return is_cut_; }

  // Returns the 0-based column at which a byte of the line is shown. Bytes that are cut off map to the nearer border.
  [[nodiscard]] std::size_t column(std::uint32_t byte) const;

 private:
  struct Cell {
    std::size_t byte;
    std::size_t column;
  };

  void show(std::string_view line, std::size_t begin, std::size_t end);

  std::string text_;
  std::vector<Cell> cells_;  // one per visible character plus one for the end; empty if all characters have width 1
  bool is_cut_ = false;
};

// The numbered source lines of a diagnostic, with `^^^^` under its span and `----` under its labels, each followed by
// its text. `...` separates lines that are not adjacent. A span over several lines is marked on its first line. An
// empty file has no lines.
struct Snippet {
  std::size_t gutter;  // width of the line numbers, to which the surrounding lines are aligned
  std::string text;
};

[[nodiscard]] Snippet render_snippet(const source::SourceFile& file, const Diagnostic& diagnostic, const Painter& paint,
                                     std::size_t columns);

}  // namespace sparsecfg::diag
