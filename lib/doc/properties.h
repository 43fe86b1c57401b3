#pragma once

#include <cstdint>
#include <string_view>

#include "source/span.h"

namespace sparsecfg::doc {

// Where the tag and the anchor before a node's content stand; empty spans for what is not there.
struct Properties {
  source::Span tag;
  source::Span anchor;
  // Why PyYAML reads the tag as another one or refuses it; empty where it does neither.
  std::string_view problem;
};

// Reads `&anchor` and `!tag`, in either order, with blanks, comments and line ends between them,
// in `text` from `begin` to `end`.
[[nodiscard]] Properties find_properties(std::string_view text, std::uint32_t begin, std::uint32_t end);

// Past the blanks, comments and line ends from `at` on.
[[nodiscard]] std::uint32_t skip_room(std::string_view text, std::uint32_t at);

}  // namespace sparsecfg::doc
