#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "doc/document.h"
#include "doc/places.h"
#include "source/span.h"

// Ways through the tree of a document.
namespace sparsecfg::lsp {

// A node on the way from the root to a place.
struct Step {
  doc::NodeId node;
  std::optional<doc::NodeId> key;  // the key whose value the node is
  bool is_key = false;             // the node is itself a key
};

// Returns the nodes around a place, from the root to the innermost one. A node ends behind its last character.
[[nodiscard]] std::vector<Step> steps_to(const doc::Document& tree, const doc::Places& places, std::uint32_t offset);

// Returns the bytes of a node with its tag and its anchor.
[[nodiscard]] source::Span whole_span(const doc::Places& places, doc::NodeId id);

// Returns the class of a mapping: its tag without `!`, its `class`, or else the key that it stands under. Empty if it
// has none of them.
[[nodiscard]] std::string_view class_of(const doc::Document& tree, const Step& step);

// Returns the word (letters, digits, `_`) around a place.
[[nodiscard]] source::Span word_at(std::string_view text, std::uint32_t offset);

// Returns the places of a whole word in a part of the text.
[[nodiscard]] std::vector<source::Span> words_in(std::string_view text, source::Span part, std::string_view word);

}  // namespace sparsecfg::lsp
