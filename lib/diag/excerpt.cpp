#include "diag/excerpt.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::diag {

static constexpr std::string_view kDots = "...";

// A tab has a fixed width, so that an excerpt can start in the middle of a line.
static std::string shown(std::string_view character) {
  return character == "\t" ? std::string(4, ' ') : base::printable(character);
}

static std::size_t next(std::string_view line, std::size_t at) {
  static_cast<void>(base::next_code_point(line, at));
  return at;
}

static std::size_t previous(std::string_view line, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) {
    --begin;
  }
  return next(line, begin) == at ? begin : at - 1;
}

// Returns true if a character needs no escaping and has width 1.
static bool is_plain(char c) { return c >= ' ' && c <= '~'; }

// Returns the columns that a character is charged. A combining mark has width 0 but is charged 1, so that a line with a
// million of them is still cut.
static std::size_t cost(std::string_view line, std::size_t begin, std::size_t end) {
  if (is_plain(line[begin])) {
    return 1;
  }
  return std::max<std::size_t>(1, base::display_width(shown(line.substr(begin, end - begin))));
}

// Returns the end of the longest part that starts at `at` and fits into `room` columns.
static std::size_t advance(std::string_view line, std::size_t at, std::size_t room) {
  while (at < line.size()) {
    const std::size_t end = next(line, at);
    const std::size_t needed = cost(line, at, end);
    if (needed > room) {
      break;
    }
    room -= needed;
    at = end;
  }
  return at;
}

// Returns the start of the longest part that ends at `at` and fits into `room` columns.
static std::size_t retreat(std::string_view line, std::size_t at, std::size_t room) {
  while (at > 0) {
    const std::size_t begin = previous(line, at);
    const std::size_t needed = cost(line, begin, at);
    if (needed > room) {
      break;
    }
    room -= needed;
    at = begin;
  }
  return at;
}

Excerpt::Excerpt(std::string_view line, source::Span focus, std::size_t width) {
  if (line.size() <= width && std::ranges::all_of(line, is_plain)) {
    text_ = line;
    return;
  }
  is_cut_ = advance(line, 0, width) < line.size();
  if (!is_cut_) {
    show(line, 0, line.size());
    return;
  }
  const std::size_t room = width - std::min(width, 2 * kDots.size());
  // A third of the width shows the text before the focus, plus any columns that the end of the line leaves unused.
  const std::size_t begin = std::min(retreat(line, focus.begin, room / 3), retreat(line, line.size(), room));
  show(line, begin, advance(line, begin, room));
}

void Excerpt::show(std::string_view line, std::size_t begin, std::size_t end) {
  std::size_t column = 0;
  if (begin > 0) {
    text_ = kDots;
    column = kDots.size();
  }
  cells_.reserve(end - begin + 1);
  for (std::size_t at = begin; at < end;) {
    cells_.push_back({at, column});
    if (is_plain(line[at])) {
      text_ += line[at++];
      ++column;
      continue;
    }
    const std::size_t after = next(line, at);
    const std::string piece = shown(line.substr(at, after - at));
    text_ += piece;
    column += base::display_width(piece);
    at = after;
  }
  cells_.push_back({end, column});
  if (end < line.size()) {
    text_ += kDots;
  }
}

std::size_t Excerpt::column(std::uint32_t byte) const {
  if (cells_.empty()) {
    return std::min<std::size_t>(byte, text_.size());
  }
  const auto after = std::ranges::upper_bound(cells_, std::size_t{byte}, {}, &Cell::byte);
  return after == cells_.begin() ? cells_.front().column : (after - 1)->column;
}

}  // namespace sparsecfg::diag
