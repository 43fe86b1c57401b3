#include "doc/places.h"

#include <algorithm>

#include "doc/characters.h"

namespace sparsecfg::doc {

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

std::uint32_t Places::line_begin(std::uint32_t at) const {
  const std::size_t found = at == 0 ? std::string_view::npos : text_.find_last_of("\r\n", at - 1);
  return found == std::string_view::npos ? 0 : static_cast<std::uint32_t>(found + 1);
}

std::uint32_t Places::line_end(std::uint32_t at) const {
  return static_cast<std::uint32_t>(std::min(text_.find_first_of("\r\n", at), text_.size()));
}

std::uint32_t Places::next_line(std::uint32_t at) const {
  const std::uint32_t end = line_end(at);
  return end + static_cast<std::uint32_t>(break_length(text_, end));
}

}  // namespace sparsecfg::doc
