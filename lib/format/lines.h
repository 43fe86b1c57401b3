#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/layout.h"

namespace sparsecfg::format {

// One line of the text that is laid out, and what is known of its place.
struct Line {
  std::uint32_t begin = 0;
  std::uint32_t text = 0;  // the first character that is not white space; `end` if there is none
  std::uint32_t end = 0;   // without the line break
  std::uint32_t next = 0;
  std::uint32_t spaces = 0;  // number of spaces that it begins with; a tab behind them may be content of a scalar

  std::optional<std::uint32_t> column{};   // where its text is to begin
  std::optional<std::uint32_t> follows{};  // or: it moves as far as what stands at this place
  std::uint32_t min_column = 0;            // of a line that follows
  bool inside = false;                     // begins within a scalar: a blank line is content
  bool keeps_tail = false;                 // ends within a scalar: white space at its end is content
  bool placed = false;                     // false: a comment, or what belongs to no node

  [[nodiscard]] bool is_blank() const { return text == end; }

  [[nodiscard]] std::uint32_t old_column() const { return text - begin; }
};

// The lines of a part of a text, and the edits that are made of them. Edits within lines come first, because lines
// follow what these move.
class Lines {
 public:
  Lines(std::string_view text, source::Span part);

  [[nodiscard]] Line& at(std::uint32_t place) { return lines_[index_of(place)]; }

  [[nodiscard]] const Line& at(std::uint32_t place) const { return lines_[index_of(place)]; }

  [[nodiscard]] std::size_t index_of(std::uint32_t place) const;

  [[nodiscard]] std::size_t size() const { return lines_.size(); }

  [[nodiscard]] Line& operator[](std::size_t index) { return lines_[index]; }

  [[nodiscard]] const Line& operator[](std::size_t index) const { return lines_[index]; }

  // Replaces [begin, end) within one line. What is replaced after the columns are settled moves no line.
  void edit(std::uint32_t begin, std::uint32_t end, std::string text);

  // How many columns the character at `place` moves to the right, as far as its line's column is settled.
  [[nodiscard]] std::int64_t shift_of(std::uint32_t place) const;

  // Settles the column of every line and adds the edits that this takes.
  void settle_columns();

  // Returns true if a line moves to the left margin that means something else there: it begins with a byte-order mark,
  // or with `---` or `...`.
  [[nodiscard]] bool begin_differently() const;

  [[nodiscard]] std::vector<Edit> take();

 private:
  [[nodiscard]] std::uint32_t column_of_comment(std::size_t index) const;
  void move(const Line& line);
  [[nodiscard]] std::int64_t inner_shift(const Line& line, std::uint32_t place) const;

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<Edit> edits_;  // within lines, in the order of the text once the columns are settled
  std::vector<Edit> late_;   // at the beginnings of lines, and those made after that
  bool settled_ = false;
};

// Adds the edits of what follows the text of the lines, whose columns are settled: comments in line with each other, at
// most one blank line in a row, no white space at the end of a line and a line break at the end of the file.
void finish_lines(std::string_view text, source::Span part, const doc::Document& document, Lines& lines);

}  // namespace sparsecfg::format
