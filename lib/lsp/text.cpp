#include "lsp/text.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace sparsecfg::lsp {

using source::Span;

constexpr std::size_t kPieceBytes = 512;

// Returns the length of a line end at `at`: LF, CR LF or a single CR; otherwise 0.
static std::size_t break_length(std::string_view text, std::size_t at) {
  if (text[at] == '\n') return 1;
  if (text[at] != '\r') return 0;
  return at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
}

static std::uint32_t units_of(char32_t code_point) {
  return code_point > 0xFFFF && code_point != base::kNotUtf8 ? 2 : 1;
}

// Moves over one character or line end.
static void step(std::string_view text, std::size_t& at, Position& position) {
  if (const std::size_t length = break_length(text, at); length > 0) {
    at += length;
    position = {position.line + 1, 0};
  } else if (static_cast<unsigned char>(text[at]) < 0x80) {
    ++at;
    ++position.character;
  } else {
    position.character += units_of(base::next_code_point(text, at));
  }
}

static Position extent_of(std::string_view text) {
  Position position;
  for (std::size_t at = 0; at < text.size();) step(text, at, position);
  return position;
}

Text::Text(std::string bytes)
    : size_(static_cast<std::uint32_t>(bytes.size())),
      pieces_(split(bytes)),
      bytes_(std::move(bytes)),
      is_whole_(true) {}

static bool is_inside_character(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U || (text[at] == '\n' && text[at - 1] == '\r');
}

std::vector<Text::Piece> Text::split(std::string_view text) {
  std::vector<Piece> out;
  do {
    std::size_t end = std::min(kPieceBytes, text.size());
    while (end < text.size() && is_inside_character(text, end)) ++end;
    out.push_back({std::string(text.substr(0, end)), extent_of(text.substr(0, end))});
    text.remove_prefix(end);
  } while (!text.empty());
  return out;
}

const std::string& Text::bytes() const {
  if (!is_whole_) {
    bytes_.clear();
    bytes_.reserve(size_);
    for (const Piece& piece : pieces_) bytes_ += piece.bytes;
    is_whole_ = true;
  }
  return bytes_;
}

static Position behind(Position begin, Position extent) {
  return extent.line > 0 ? Position{begin.line + extent.line, extent.character}
                         : Position{begin.line, begin.character + extent.character};
}

void Text::index() const {
  starts_.resize(pieces_.size());
  for (; indexed_ < pieces_.size(); ++indexed_) {
    if (indexed_ == 0) continue;
    const Start& last = starts_[indexed_ - 1];
    const Piece& piece = pieces_[indexed_ - 1];
    starts_[indexed_] = {last.offset + static_cast<std::uint32_t>(piece.bytes.size()),
                         behind(last.position, piece.extent)};
  }
}

// Returns the last piece that begins at or before a place.
std::size_t Text::piece_at(std::uint32_t offset) const {
  index();
  const auto after = std::ranges::upper_bound(starts_, offset, {}, &Start::offset);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

Position Text::position(std::uint32_t offset) const {
  offset = std::min(offset, size_);
  const std::size_t piece = piece_at(offset);
  const std::string_view text = pieces_[piece].bytes;
  const std::size_t wanted = offset - starts_[piece].offset;
  Position position = starts_[piece].position;
  for (std::size_t at = 0; at < wanted;) {
    Position next = position;
    std::size_t end = at;
    step(text, end, next);
    if (end <= wanted) {
      position = next;
    } else if (text[at] == '\r') {
      ++position.character;  // the place is between CR and LF
    }
    at = end;
  }
  return position;
}

std::uint32_t Text::offset(Position wanted) const {
  index();
  const auto after = std::ranges::upper_bound(starts_, wanted, {}, &Start::position);
  const auto piece = static_cast<std::size_t>(after - starts_.begin()) - 1;
  const std::string_view text = pieces_[piece].bytes;
  Position position = starts_[piece].position;
  std::size_t at = 0;
  while (at < text.size() && position < wanted) {
    Position next = position;
    std::size_t end = at;
    step(text, end, next);
    if (next > wanted) break;
    position = next;
    at = end;
  }
  return starts_[piece].offset + static_cast<std::uint32_t>(at);
}

std::uint32_t Text::line_of(std::uint32_t offset) const { return position(offset).line; }

Span Text::line(std::uint32_t number) const {
  return {offset({number, 0}), offset({number, std::numeric_limits<std::uint32_t>::max()})};
}

Span Text::span(Range range) const {
  const std::uint32_t start = offset(range.start);
  const std::uint32_t end = offset(range.end);
  return {std::min(start, end), std::max(start, end)};
}

// Joins the pieces that change with those beside them, so that none is left too small and no CR LF is split.
void Text::replace(Span span, std::string_view text) {
  const std::size_t changed = piece_at(span.begin);
  const std::size_t first = changed == 0 ? 0 : changed - 1;
  const std::size_t last = std::min(piece_at(span.end) + 1, pieces_.size() - 1);
  std::string joined;
  for (std::size_t at = first; at <= last; ++at) joined += pieces_[at].bytes;
  joined.replace(span.begin - starts_[first].offset, span.end - span.begin, text);
  std::vector<Piece> parts = split(joined);
  const std::size_t common = std::min(parts.size(), last - first + 1);
  const auto begin = pieces_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto rest = std::move(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(common), begin);
  if (common < parts.size()) {
    pieces_.insert(rest, std::make_move_iterator(parts.begin() + static_cast<std::ptrdiff_t>(common)),
                   std::make_move_iterator(parts.end()));
  } else {
    pieces_.erase(rest, pieces_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }
  size_ = static_cast<std::uint32_t>(size_ - (span.end - span.begin) + text.size());
  indexed_ = std::min(indexed_, first + 1);
  is_whole_ = false;
}

// Returns true if `at` is the start of a character or the end of the text.
static bool is_boundary(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
}

Difference difference(std::string_view before, std::string_view after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (head > 0 && (!is_boundary(before, head) || !is_boundary(after, head))) --head;
  std::size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  while (tail > 0 && !is_boundary(before, before.size() - tail)) --tail;
  const auto span = [&](std::string_view text) {
    return Span{static_cast<std::uint32_t>(head), static_cast<std::uint32_t>(text.size() - tail)};
  };
  return {span(before), span(after)};
}

}  // namespace sparsecfg::lsp
