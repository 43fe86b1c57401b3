#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "source/span.h"

namespace sparsecfg::source {

// Returns the text after all edits: each replaces the bytes of its `span` with its `text`. Edits must not overlap;
// those at the same position are applied in order.
template <class Edits>
[[nodiscard]] std::string apply_edits(std::string_view text, Edits edits) {
  std::ranges::stable_sort(edits, {}, [](const auto& edit) { return edit.span; });
  std::string out;
  std::size_t done = 0;
  for (const auto& edit : edits) {
    out += text.substr(done, edit.span.begin - done);
    out += edit.text;
    done = edit.span.end;
  }
  return out += text.substr(done);
}

}  // namespace sparsecfg::source
