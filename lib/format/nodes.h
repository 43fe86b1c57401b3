#pragma once

#include <string_view>
#include <vector>

#include "format/layout.h"

// Properties of single nodes that the layout needs.
namespace sparsecfg::format {

// Returns true for a null without text: `key:`.
[[nodiscard]] bool is_missing(const Node& node);

// Returns true if a node ends with its tag or anchor, which would absorb a character directly after it.
[[nodiscard]] bool ends_with_property(const Node& node);

// Returns true if the `:` may directly follow the key.
[[nodiscard]] bool may_touch_colon(const Node& key);

// Returns the spans of a node's tag and anchor, in source order.
[[nodiscard]] std::vector<source::Span> properties_of(const Node& node);

// Returns true if every YAML reader reads the unquoted text as a string: a letter or `_`, then characters without
// special meaning; not a number, boolean or date.
[[nodiscard]] bool is_word(std::string_view text);

}  // namespace sparsecfg::format
