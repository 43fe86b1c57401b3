#include "dialect/detect.h"

#include <algorithm>

namespace sparsecfg::dialect {

using doc::Kind;
using doc::Node;

static bool is_sparseml_section(const doc::Document& document, doc::NodeId key, doc::NodeId value) {
  const std::string_view name = document[document.resolve(key)].text;
  const Kind kind = document[document.resolve(value)].kind;
  return name.find("modifiers") != std::string_view::npos || (name.ends_with("_stage") && kind == Kind::mapping);
}

static bool has_sparseml_tag(const Node& node) {
  return node.tag.starts_with('!') && (node.tag.ends_with("Modifier") || node.tag.ends_with("Modifier:"));
}

std::optional<std::string_view> detect(const doc::Document& document) {
  const Node& root = document[document.root];
  bool sparseml = std::ranges::any_of(document.nodes, has_sparseml_tag);
  for (std::size_t at = 0; root.kind == Kind::mapping && at + 1 < root.items.size(); at += 2) {
    sparseml = sparseml || is_sparseml_section(document, root.items[at], root.items[at + 1]);
  }
  return sparseml ? std::optional<std::string_view>("sparseml") : std::nullopt;
}

std::optional<std::string_view> detect(std::string_view unreadable) {
  const bool sparseml = unreadable.find("Modifier") != std::string_view::npos || unreadable.find("modifiers:") != std::string_view::npos;
  return sparseml ? std::optional<std::string_view>("sparseml") : std::nullopt;
}

}  // namespace sparsecfg::dialect
