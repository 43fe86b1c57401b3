#include "dialect/sparseml/read/read.h"

#include <algorithm>

namespace sparsecfg::dialect::sparseml {

using doc::Document;
using doc::Node;

class KindFinder {
 public:
  explicit KindFinder(const Document& document) : document_(document) {}

  Kinds find() {
    const auto tagged = std::ranges::find_if(document_.nodes, has_modifier_tag);
    if (tagged != document_.nodes.end()) {
      kinds_.tag = tagged->tag_span;
    }
    const Node& root = document_[document_.root];
    each_entry(root, [&](const Node& key, const Node& value) {
      kinds_.stages |= value.kind == doc::Kind::mapping && (key.text.ends_with("_stage") || key.text == "stages");
    });
    constexpr int kLevels = 2;  // `stages`, stage, groups
    find_groups(root, kLevels);
    return kinds_;
  }

 private:
  const Node& node(doc::NodeId id) const { return document_[document_.resolve(id)]; }

  void each_entry(const Node& mapping, auto visit) const {
    for (std::size_t at = 0; mapping.kind == doc::Kind::mapping && at + 1 < mapping.items.size(); at += 2) {
      visit(node(mapping.items[at]), node(mapping.items[at + 1]));
    }
  }

  bool is_group(const Node& key, const Node& value) const {
    bool found = false;
    each_entry(value, [&](const Node& name, const Node&) { found |= name.text.ends_with("Modifier"); });
    return found && key.text.find("modifiers") != std::string_view::npos;
  }

  // Searches the keys of a mapping, and of nested mappings up to `levels` deep.
  void find_groups(const Node& mapping, int levels) {
    each_entry(mapping, [&](const Node& key, const Node& value) {
      if (!kinds_.group && is_group(key, value)) {
        kinds_.group = key.span;
      }
      if (levels > 0) {
        find_groups(value, levels - 1);
      }
    });
  }

  const Document& document_;
  Kinds kinds_;
};

bool has_modifier_tag(const Node& node) {
  return node.tag.starts_with('!') && (node.tag.ends_with("Modifier") || node.tag.ends_with("Modifier:"));
}

Kinds find_kinds(const Document& document) { return KindFinder(document).find(); }

}  // namespace sparsecfg::dialect::sparseml
