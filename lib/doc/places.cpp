#include "doc/places.h"

#include <algorithm>

#include "doc/characters.h"

namespace sparsecfg::doc {

static bool ends_line(std::string_view text, std::size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && !text.substr(at + 1).starts_with('\n'));
}

static std::uint32_t begin_of_line(std::string_view text, std::uint32_t at) {
  while (at > 0 && !ends_line(text, at - 1)) --at;
  return at;
}

static std::uint32_t end_of_line(std::string_view text, std::uint32_t at) {
  return static_cast<std::uint32_t>(std::min(text.find_first_of("\r\n", at), text.size()));
}

// Returns the place of all nodes.
static source::Span extent_of(const Document& document, std::size_t size) {
  source::Span out{static_cast<std::uint32_t>(size), 0};
  for (const Node& node : document.nodes) {
    for (const source::Span span : {node.span, node.tag_span, node.anchor_span}) {
      if (span.empty() && span.begin == 0) continue;
      out = {std::min(out.begin, span.begin), std::max(out.end, span.end)};
    }
  }
  out.end = std::min(out.end, static_cast<std::uint32_t>(size));
  return {std::min(out.begin, out.end), out.end};
}

Places::Places(std::string_view text, const Document& document) : text_(text), document_(document) {}

// The lines are found when they are needed first, because many recipes of a script share one text.
const Places::Lines& Places::lines() const {
  if (lines_) {
    return *lines_;
  }
  const source::Span extent = extent_of(document_, text_.size());
  const std::uint32_t last = end_of_line(text_, extent.end);
  Lines& lines = lines_.emplace();
  lines.extent = {begin_of_line(text_, extent.begin), last + static_cast<std::uint32_t>(break_length(text_, last))};
  lines.starts.push_back(lines.extent.begin);
  for (std::size_t at = lines.extent.begin; at < lines.extent.end; ++at) {
    if (ends_line(text_, at)) lines.starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  return lines;
}

std::uint32_t Places::begin_of(NodeId id) const {
  const Node& node = document_[id];
  std::uint32_t begin = node.span.begin;
  for (const source::Span property : {node.tag_span, node.anchor_span}) {
    begin = property.empty() ? begin : std::min(begin, property.begin);
  }
  return begin;
}

std::uint32_t Places::end_of(NodeId id) const {
  const Node& node = document_[id];
  const std::uint32_t end = std::max({node.span.begin, node.tag_span.end, node.anchor_span.end});
  if (node.style == Style::block && !node.items.empty()) {
    return std::max(end, end_of(node.items.back()));
  }
  const std::size_t last = text(node.span.begin, node.span.end).find_last_not_of(" \t\r\n");
  return std::max(end, node.span.begin + static_cast<std::uint32_t>(last == std::string_view::npos ? 0 : last + 1));
}

std::size_t Places::line_at(std::uint32_t at) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(lines().starts, at) - lines().starts.begin()) - 1;
}

std::uint32_t Places::line_begin(std::uint32_t at) const {
  return is_listed(at) ? lines().starts[line_at(at)] : begin_of_line(text_, at);
}

std::uint32_t Places::line_end(std::uint32_t at) const {
  if (!is_listed(at)) return end_of_line(text_, at);
  const std::size_t next = line_at(at) + 1;
  if (next == lines().starts.size()) return end_of_line(text_, at);
  const std::uint32_t after = lines().starts[next];
  const bool pair = after > 1 && text_[after - 1] == '\n' && text_[after - 2] == '\r';
  return std::max(at, after - (pair ? 2 : 1));
}

std::uint32_t Places::next_line(std::uint32_t at) const {
  const std::uint32_t end = line_end(at);
  return end + static_cast<std::uint32_t>(break_length(text_, end));
}

}  // namespace sparsecfg::doc
