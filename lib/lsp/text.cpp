#include "lsp/text.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::lsp {

using source::Span;

Text::Text(std::string bytes) : bytes_(std::move(bytes)) { find_lines(); }

// Lines end with LF, CR LF or a single CR.
void Text::find_lines() {
  starts_.assign(1, 0);
  for (std::size_t at = bytes_.find_first_of("\r\n"); at != std::string::npos; at = bytes_.find_first_of("\r\n", at)) {
    at += bytes_.compare(at, 2, "\r\n") == 0 ? 2 : 1;
    starts_.push_back(static_cast<std::uint32_t>(at));
  }
}

static std::uint32_t units_of(char32_t code_point) {
  return code_point > 0xFFFF && code_point != base::kNotUtf8 ? 2 : 1;
}

std::uint32_t Text::line_of(std::uint32_t offset) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin()) - 1;
}

Span Text::line(std::uint32_t number) const {
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  if (number >= starts_.size()) {
    return {size, size};
  }
  const std::uint32_t begin = starts_[number];
  return {begin, static_cast<std::uint32_t>(std::min<std::size_t>(bytes_.find_first_of("\r\n", begin), size))};
}

Position Text::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  Position out{line_of(offset), 0};
  for (std::size_t at = starts_[out.line]; at < offset;) {
    const char32_t code_point = base::next_code_point(bytes_, at);
    if (at <= offset) out.character += units_of(code_point);
  }
  return out;
}

std::uint32_t Text::offset(Position position) const {
  const Span whole = line(position.line);
  std::uint32_t units = 0;
  std::size_t at = whole.begin;
  while (at < whole.end) {
    std::size_t next = at;
    units += units_of(base::next_code_point(bytes_, next));
    if (units > position.character) break;
    at = next;
  }
  return static_cast<std::uint32_t>(at);
}

Span Text::span(Range range) const {
  const std::uint32_t start = offset(range.start);
  const std::uint32_t end = offset(range.end);
  return {std::min(start, end), std::max(start, end)};
}

void Text::replace(Span span, std::string_view text) {
  bytes_.replace(span.begin, span.end - span.begin, text);
  find_lines();
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
