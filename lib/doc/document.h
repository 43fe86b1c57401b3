#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::doc {

enum class NodeId : std::uint32_t {};

enum class Kind : std::uint8_t { scalar, sequence, mapping, alias };
enum class Style : std::uint8_t { plain, single_quoted, double_quoted, literal, folded, block, flow };

// One node of the tree as it is written: nothing resolved, nothing merged, nothing dropped.
struct Node {
  Kind kind = Kind::scalar;
  Style style = Style::plain;
  NodeId target{};            // what an alias stands for
  source::Span span;          // the node itself, without its tag and anchor
  source::Span tag_span;      // "!EpochRangeModifier"; empty where there is no tag
  source::Span anchor_span;   // "&name"; empty where there is no anchor
  std::string_view tag;       // resolved: "!EpochRangeModifier", "tag:yaml.org,2002:str"; may be empty
  std::string_view text;      // a scalar's content after quotes, folds and escapes; an alias's name
  std::vector<NodeId> items;  // a sequence's items; a mapping's key, value, key, value ... with
                              // repeated keys kept
};

// A comment from its `#` to the end of its line.
struct Comment {
  source::Span span;
};

// The tree of one YAML document. Views in the nodes point into the source text or into `owned`,
// so a Document must not outlive its SourceFile; it moves but does not copy.
class Document {
 public:
  Document() = default;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }

  [[nodiscard]] Node& operator[](NodeId id) { return nodes[static_cast<std::size_t>(id)]; }

  // The node itself, or what it stands for if it is an alias.
  [[nodiscard]] NodeId resolve(NodeId id) const { return (*this)[id].kind == Kind::alias ? (*this)[id].target : id; }

  std::vector<Node> nodes;
  NodeId root{};
  std::vector<Comment> comments;  // in the order of the text
  std::list<std::string> owned;   // texts that do not stand in the source as they are
};

}  // namespace sparsecfg::doc
