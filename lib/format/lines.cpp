#include "format/lines.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "doc/characters.h"

namespace sparsecfg::format {

// A byte-order mark at the beginning of a file is not part of its first line.
Lines::Lines(std::string_view text, source::Span part) : text_(text) {
  const bool marked = part.begin == 0 && text.starts_with(doc::kByteOrderMark);
  for (std::uint32_t begin = part.begin + (marked ? std::uint32_t{doc::kByteOrderMark.size()} : 0);
       begin < part.end || lines_.empty();) {
    Line line;
    line.begin = begin;
    line.end = std::min(static_cast<std::uint32_t>(doc::find_line_end(text, begin)), part.end);
    const std::size_t first = text.substr(begin, line.end - begin).find_first_not_of(" \t");
    line.text = first == std::string_view::npos ? line.end : begin + static_cast<std::uint32_t>(first);
    const std::size_t tab = std::min(text.find_first_not_of(' ', begin), std::size_t{line.end});
    line.spaces = static_cast<std::uint32_t>(tab) - begin;
    line.next = line.end + static_cast<std::uint32_t>(doc::break_length(text, line.end));
    begin = std::max(line.next, begin + 1);
    lines_.push_back(line);
  }
}

std::size_t Lines::index_of(std::uint32_t place) const {
  const auto after = std::ranges::upper_bound(lines_, place, {}, &Line::begin);
  return after == lines_.begin() ? 0 : static_cast<std::size_t>(after - lines_.begin()) - 1;
}

void Lines::edit(std::uint32_t begin, std::uint32_t end, std::string text) {
  if (text_.substr(begin, end - begin) != text) {
    (settled_ ? late_ : edits_).push_back({{begin, end}, std::move(text)});
  }
}

std::vector<Edit> Lines::take() {
  std::ranges::move(late_, std::back_inserter(edits_));
  return std::move(edits_);
}

// Returns the number of characters that edits between the beginning of a line's text and `place` add.
std::int64_t Lines::inner_shift(const Line& line, std::uint32_t place) const {
  std::int64_t shift = 0;
  auto edit = std::ranges::lower_bound(edits_, line.text, {}, [](const Edit& each) { return each.span.begin; });
  for (; edit != edits_.end() && edit->span.end <= place; ++edit) {
    shift += static_cast<std::int64_t>(edit->text.size()) - (edit->span.end - edit->span.begin);
  }
  return shift;
}

std::int64_t Lines::shift_of(std::uint32_t place) const {
  const Line& line = at(place);
  const std::int64_t moved = line.column ? static_cast<std::int64_t>(*line.column) - line.old_column() : 0;
  return moved + inner_shift(line, place);
}

// A comment belongs to the line below it or to the block above it, whichever begins in its column. A comment indented
// less than the first line of a block belongs to that line. Comments at the left margin stay there, because most of
// them are commented-out recipe text.
std::uint32_t Lines::column_of_comment(std::size_t index) const {
  const std::uint32_t column = lines_[index].old_column();
  const auto is_placed = [](const Line& line) { return line.placed; };
  const auto next = std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(index), lines_.end(), is_placed);
  if (column == 0 || (next != lines_.end() && next->old_column() == column)) {
    return column == 0 ? 0 : *next->column;
  }
  for (std::size_t before = index; before > 0; --before) {
    const Line& line = lines_[before - 1];
    if (line.placed && line.old_column() == column) {
      return *line.column;
    }
    if (line.placed && line.old_column() < column) {
      const bool between = next != lines_.end() && next->old_column() > column;
      return between ? *next->column : *line.column + (column - line.old_column());
    }
  }
  return 0;  // no previous line is indented less
}

void Lines::settle_columns() {
  std::ranges::sort(edits_, {}, &Edit::span);
  for (Line& line : lines_) {
    if (line.follows && !(line.is_blank() && line.old_column() == 0)) {
      const std::int64_t column = std::int64_t{line.old_column()} + shift_of(*line.follows);
      line.column = static_cast<std::uint32_t>(std::max(column, std::int64_t{line.min_column}));
    }
  }
  std::map<std::uint32_t, std::uint32_t> columns;  // old to new columns of the comments since the last placed line
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    Line& line = lines_[index];
    const bool comment = !line.is_blank() && !line.inside && !line.column && text_[line.text] == '#';
    if (comment) {
      const auto [known, added] = columns.try_emplace(line.old_column());
      if (added) known->second = column_of_comment(index);
      line.column = known->second;
    } else if (line.placed) {
      columns.clear();
    }
  }
  settled_ = true;
  for (const Line& line : lines_) {
    if (line.column && line.inside) {
      move(line);
    } else if (line.column && !line.is_blank()) {
      edit(line.begin, line.text, std::string(*line.column, ' '));
    }
  }
}

// A tab at the beginning of a line within a scalar is not changed.
void Lines::move(const Line& line) {
  const std::int64_t spaces = std::int64_t{line.spaces} + *line.column - line.old_column();
  edit(line.begin, line.begin + line.spaces,
       std::string(static_cast<std::size_t>(std::max(spaces, std::int64_t{0})), ' '));
}

bool Lines::begin_differently() const {
  return std::ranges::any_of(lines_, [&](const Line& line) {
    const std::string_view text = text_.substr(line.text, line.end - line.text);
    const bool marker = (text.starts_with("---") || text.starts_with("...")) && doc::is_space_or_end(text, 3);
    return line.column == 0U && line.old_column() > 0 && (marker || text.starts_with(doc::kByteOrderMark));
  });
}

}  // namespace sparsecfg::format
