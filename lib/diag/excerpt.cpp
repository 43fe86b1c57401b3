#include "diag/excerpt.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::diag {

static constexpr std::string_view kDots = "...";

// A tab has a fixed width here, so that a line can be shown from its middle.
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

// Most characters have one column and are shown as they are.
static bool is_plain(char c) { return c >= ' ' && c <= '~'; }

// What a character takes of the room. A combining mark has no column, but a line of a million of
// them must end somewhere.
static std::size_t cost(std::string_view line, std::size_t begin, std::size_t end) {
  if (is_plain(line[begin])) {
    return 1;
  }
  return std::max<std::size_t>(1, base::display_width(shown(line.substr(begin, end - begin))));
}

// The end of what fits into `room` columns from `at` on.
static std::size_t advance(std::string_view line, std::size_t at, std::size_t room) {
  while (at < line.size()) {
    const std::size_t end = next(line, at);
    const std::size_t matched = cost(line, at, end);
    if (matched > room) {
      break;
    }
    room -= matched;
    at = end;
  }
  return at;
}

// The beginning of what fits into `room` columns before `at`.
static std::size_t retreat(std::string_view line, std::size_t at, std::size_t room) {
  while (at > 0) {
    const std::size_t begin = previous(line, at);
    const std::size_t matched = cost(line, begin, at);
    if (matched > room) {
      break;
    }
    room -= matched;
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
  // A third of the room goes to what stands before the focus; all that is left over at the end of
  // the line, too.
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
