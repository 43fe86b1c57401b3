#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "doc/document.h"
#include "doc/places.h"
#include "source/span.h"

// Finds nodes and words in a document.
namespace sparsecfg::lsp {

// The span of each node of a tree including its tag and anchor, up to its last character. Computed once, because
// requests need all of them.
class NodeSpans {
 public:
  NodeSpans(std::string_view text, const doc::Document& tree);

  [[nodiscard]] source::Span of(doc::NodeId id) const { return spans_[static_cast<std::size_t>(id)]; }

  // Returns true if no item of a collection begins or ends before its predecessor.
  [[nodiscard]] bool are_items_sorted(doc::NodeId id) const { return sorted_[static_cast<std::size_t>(id)]; }

 private:
  std::vector<source::Span> spans_;
  std::vector<bool> sorted_;
};

// A node on the path from the root to a position.
struct Step {
  doc::NodeId node;
  std::optional<doc::NodeId> key;  // key of the node in its mapping; nullopt for list items and keys
  bool is_key = false;             // true if the node is a key
  std::size_t item = 0;            // index in the items of the parent
};

// Returns the nodes that contain a position, from the root to the innermost one. The position after the last character
// belongs to the node.
[[nodiscard]] std::vector<Step> steps_to(const doc::Document& tree, const NodeSpans& spans, std::uint32_t offset);

// Returns the class of a mapping: its tag without `!`, its `class` field, or its key. Returns an empty string if it has
// none of them.
[[nodiscard]] std::string_view class_of(const doc::Document& tree, const Step& step);

// Returns the word (letters, digits, `_`) at a position.
[[nodiscard]] source::Span word_at(std::string_view text, std::uint32_t offset);

}  // namespace sparsecfg::lsp
