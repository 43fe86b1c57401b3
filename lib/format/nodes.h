#pragma once

#include <string_view>
#include <vector>

#include "format/layout.h"

// What the layout asks of a node by itself.
namespace sparsecfg::format {

// Returns true for a null that nothing in the text stands for: `key:`.
[[nodiscard]] bool is_missing(const Node& node);

// Returns true if a node ends with its tag or anchor, which takes what touches it for a letter of its own.
[[nodiscard]] bool ends_with_property(const Node& node);

// Returns true if the `:` of a key may touch it.
[[nodiscard]] bool may_touch_colon(const Node& key);

// The places of a node's tag and anchor, in the order of the text.
[[nodiscard]] std::vector<source::Span> properties_of(const Node& node);

// Returns true if a string needs no quotes to be read as a string by anyone: a letter or `_`, then what means nothing
// to YAML anywhere; no number, boolean or date.
[[nodiscard]] bool is_word(std::string_view text);

}  // namespace sparsecfg::format
