#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/span.h"

namespace sparsecfg::doc {

enum class NodeId : std::uint32_t {};

enum class Kind : std::uint8_t { scalar, sequence, mapping, alias };
enum class Style : std::uint8_t { plain, single_quoted, double_quoted, literal, folded, block, flow };

// One node of the tree as written, before anything is resolved, merged or dropped.
struct Node {
  Kind kind = Kind::scalar;
  Style style = Style::plain;
  NodeId target{};            // the node that an alias refers to
  source::Span span;          // the node without its tag and anchor
  source::Span tag_span;      // "!EpochRangeModifier"; empty without a tag
  source::Span anchor_span;   // "&name"; empty without an anchor
  std::string_view tag;       // resolved: "!EpochRangeModifier", "tag:yaml.org,2002:str"; may be empty
  std::string_view text;      // scalar content after unquoting and unescaping; name of an alias
  std::vector<NodeId> items;  // items of a sequence; key, value, key, value ... of a mapping,
                              // including repeated keys
};

// A comment from its `#` to the end of the line.
struct Comment {
  source::Span span;
};

// The tree of one YAML document. Views in the nodes point into the source text or into `owned`, so a Document must not
// outlive its SourceFile. It can be moved but not copied.
class Document {
 public:
  Document() = default;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }

  [[nodiscard]] Node& operator[](NodeId id) { return nodes[static_cast<std::size_t>(id)]; }

  // Returns the node, or the node that it refers to if it is an alias.
  [[nodiscard]] NodeId resolve(NodeId id) const { return (*this)[id].kind == Kind::alias ? (*this)[id].target : id; }

  std::vector<Node> nodes;
  NodeId root{};
  std::vector<Comment> comments;  // in source order
  std::list<std::string> owned;   // strings that do not occur verbatim in the source
};

// Returns the key and the value of the first entry of a mapping with this key, not resolved; nullopt if there is none
// or the node is no mapping.
[[nodiscard]] std::optional<std::pair<NodeId, NodeId>> entry(const Document& document, NodeId mapping,
                                                             std::string_view key);

// Returns the value of such an entry, resolved.
[[nodiscard]] std::optional<NodeId> member(const Document& document, NodeId mapping, std::string_view key);

}  // namespace sparsecfg::doc
