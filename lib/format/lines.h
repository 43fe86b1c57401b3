#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/layout.h"

namespace sparsecfg::format {

// One line of the text and its layout.
struct Line {
  std::uint32_t begin = 0;
  std::uint32_t text = 0;  // first character that is not white space; `end` in a blank line
  std::uint32_t end = 0;   // excludes the line break
  std::uint32_t next = 0;
  std::uint32_t spaces = 0;  // number of leading spaces; a tab after them may be scalar content

  std::optional<std::uint32_t> column{};   // new column of its text
  std::optional<std::uint32_t> follows{};  // or: it moves as far as the text at this position
  std::uint32_t min_column = 0;            // for a line that follows another
  bool inside = false;                     // begins within a scalar: a blank line is content
  bool keeps_tail = false;                 // ends within a scalar: trailing white space is content
  bool placed = false;                     // false: a comment, or text that belongs to no node

  [[nodiscard]] bool is_blank() const { return text == end; }

  [[nodiscard]] std::uint32_t old_column() const { return text - begin; }
};

// The lines of a part of the input, and the resulting edits. Edits within lines come first, because other lines follow
// the text that they move.
class Lines {
 public:
  Lines(std::string_view text, source::Span part);

  [[nodiscard]] Line& at(std::uint32_t place) { return lines_[index_of(place)]; }

  [[nodiscard]] const Line& at(std::uint32_t place) const { return lines_[index_of(place)]; }

  [[nodiscard]] std::size_t index_of(std::uint32_t place) const;

  [[nodiscard]] std::size_t size() const { return lines_.size(); }

  [[nodiscard]] Line& operator[](std::size_t index) { return lines_[index]; }

  [[nodiscard]] const Line& operator[](std::size_t index) const { return lines_[index]; }

  // Replaces [begin, end) within one line. Edits made after settle_columns() do not move other lines.
  void edit(std::uint32_t begin, std::uint32_t end, std::string text);

  // Returns how many columns the character at `place` moves to the right, as far as its line's column is known.
  [[nodiscard]] std::int64_t shift_of(std::uint32_t place) const;

  // Determines the column of every line and adds the corresponding edits.
  void settle_columns();

  // Returns true if a line would have another meaning at the left margin: it begins with a byte-order mark, `---` or
  // `...`.
  [[nodiscard]] bool begin_differently() const;

  [[nodiscard]] std::vector<Edit> take();

 private:
  [[nodiscard]] std::uint32_t column_of_comment(std::size_t index) const;
  void move(const Line& line);
  [[nodiscard]] std::int64_t inner_shift(const Line& line, std::uint32_t place) const;

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<Edit> edits_;  // within lines; in source order once the columns are settled
  std::vector<Edit> late_;   // at the beginnings of lines, and edits made after settle_columns()
  bool settled_ = false;
};

// Adds the edits for the text after the content of each line, whose columns must be settled: aligned comments, at most
// one blank line in a row, no trailing white space, and a line break at the end of the file.
void finish_lines(std::string_view text, source::Span part, const doc::Document& document, Lines& lines);

}  // namespace sparsecfg::format
