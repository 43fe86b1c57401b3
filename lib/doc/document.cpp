#include "doc/document.h"

namespace sparsecfg::doc {

std::optional<std::pair<NodeId, NodeId>> entry(const Document& document, NodeId mapping, std::string_view key) {
  const Node& node = document[document.resolve(mapping)];
  for (std::size_t at = 0; node.kind == Kind::mapping && at + 1 < node.items.size(); at += 2) {
    if (document[document.resolve(node.items[at])].text == key) return std::pair(node.items[at], node.items[at + 1]);
  }
  return std::nullopt;
}

std::optional<NodeId> member(const Document& document, NodeId mapping, std::string_view key) {
  const auto found = entry(document, mapping, key);
  return found ? std::optional(document.resolve(found->second)) : std::nullopt;
}

}  // namespace sparsecfg::doc
